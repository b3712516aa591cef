// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <numeric>

#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/playing/training_text.hpp"
#include "workloads/training/convergence.hpp"
#include "workloads/training/order.hpp"
#include "workloads/training/plan.hpp"
#include "workloads/training/reducer.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;
using Kind = JobActivity::Kind;

Price nothing(const GroupCall&) {
  return {};
}
/// Gigabytes per second and no latency.
PriceOf bandwidth(double gigabytes) {
  return [=](const GroupCall& call) {
    const Seconds t(call.control ? 0 : call.bytes.value / gigabytes / 1e9);
    return Price{t, t, t, "bytes"};
  };
}

/// A floating-point operation takes a nanosecond, memory nothing.
Processor plain() {
  Processor p;
  p.name = "plain";
  p.flops = 1e9;
  p.bandwidth = BytesPerSecond(1e30);
  p.efficiency = {1, 1, 1, Seconds(), 0.1};
  return p;
}

/// `layers` of 1 ms forward, 2 ms backward and 1 MB of gradients (250,000 elements) each.
Training equal_layers(int layers, const std::string& framework, Rank ranks) {
  std::string table = "name,kind,flops,backward_flops,in_elements,out_elements,kept_elements,parameters\n";
  for (int i = 0; i < layers; ++i) table += "l" + std::to_string(i) + ",linear,1e6,2e6,1,1,1,250000\n";
  Training t;
  t.model = parse_model(table, "equal", "equal.csv");
  t.framework = parse_framework(framework);
  t.processor = plain();
  t.ranks = ranks;
  return t;
}

/// By name or by its table.
TEST(Training, ATableTakesTheSameStep) {
  for (const ModelName& known : model_names()) {
    Training t = equal_layers(1, "ddp", 8);
    t.processor = processor(load_platform("dgx-a100"), Precision::amp);
    t.precision = Precision::amp, t.batch = 4;
    t.model = load_model(std::string(known.name));
    const StepForecast named = forecast_step(t, bandwidth(100));
    t.model = parse_model(model_csv(t.model), "my.csv", "my.csv");
    const StepForecast read = forecast_step(t, bandwidth(100));
    EXPECT_EQ(read.time, named.time) << known.name;
    EXPECT_EQ(read.memory.sum(), named.memory.sum()) << known.name;
  }
}

std::vector<Bytes> collectives(const Job& job) {
  std::vector<Bytes> sizes;
  for (const JobActivity& a : job.roles[0].activities)
    if (a.kind == Kind::collective) sizes.push_back(a.bytes);
  return sizes;
}

/// 10 layers of 3 ms; one rank has nothing to add up.
TEST(Training, OneRankComputes) {
  const Training t = equal_layers(10, "ddp", 1);
  EXPECT_NEAR(play(training_job(t), nothing).time.value, 30e-3, 1e-12);
  EXPECT_NEAR(step_alone(t).value, 30e-3, 1e-12);
}

/// A batch of 4 at 100 samples per second takes 40 ms, whatever the roofline says.
TEST(Training, ThroughputReplacesTheRoofline) {
  Training t = equal_layers(10, "ddp", 1);
  t.batch = 4;
  t.throughput = 100;
  EXPECT_NEAR(play(training_job(t), nothing).time.value, 40e-3, 1e-12);
}

/// Buckets of 1.5 MB and more: 2 MB each. 10 layers, so 5 of them; at 1 GB/s each takes 2 ms of the 4 ms that
/// the next two layers take, and the last one is exposed: 30 + 2 ms.
TEST(Training, OnlyTheLastBucketIsExposed) {
  const Training t = equal_layers(10, "ddp:first=1500000,bucket=1500000,view=1", 4);
  const Job job = training_job(t);
  EXPECT_EQ(collectives(job), std::vector<Bytes>(5, Bytes(2e6)));
  EXPECT_NEAR(play(job, bandwidth(1)).time.value, 32e-3, 1e-12);
}

/// At 0.25 GB/s they take 8 ms each: the first is ready after 10 + 4 ms, 5 of them end at 14 + 40.
TEST(Training, BucketsFollowEachOther) {
  const Training t = equal_layers(10, "ddp:first=1500000,bucket=1500000,view=1", 4);
  EXPECT_NEAR(play(training_job(t), bandwidth(0.25)).time.value, 54e-3, 1e-12);
}

/// PyTorch's buckets of ResNet-50 and VGG-16 (c10d reducer, bucket_bytes_cap 25 MiB): reference sizes in MiB.
TEST(Training, BucketsAreThoseOfPyTorch) {
  const auto sizes = [](const char* model) {
    Training t = equal_layers(1, "ddp", 4);
    t.model = load_model(model);
    std::vector<double> mib;
    for (const Bytes b : collectives(training_job(t))) mib.push_back(std::round(b.value / 104857.6) / 10);
    return mib;
  };
  EXPECT_EQ(sizes("resnet50"), (std::vector<double>{7.8, 30.0, 25.0, 25.3, 9.3}));
  EXPECT_EQ(sizes("vgg16"), (std::vector<double>{15.6, 64.0, 392.0, 27.0, 27.0, 2.1}));
  EXPECT_EQ(sizes("bert-large").size(), 38u);
}

/// FSDP over the 2 ranks that have the same heads: a part of the layers, gathered twice and scattered once.
TEST(Training, ShardedParametersOfSharedHeads) {
  Training t = equal_layers(1, "fsdp:tp=2", 4);
  t.model = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4,vocabulary=10");
  const double whole = 4 * 8 + 5 * 2 * 8 + 2 * 2 * 8, cut = t.model.parameters() - whole;
  const Job job = training_job(t);
  double bytes = 0;
  for (const JobActivity& a : job.roles[0].activities)
    if (a.group == 0) bytes += a.kind == Kind::collective ? a.bytes.value : 0;
  EXPECT_DOUBLE_EQ(bytes, 3 * 4 * (whole + cut / 2));
  EXPECT_EQ(job.groups[0].dimensions, (std::vector<int>{1, 2}));
  EXPECT_DOUBLE_EQ(memory_need(t).parameters.value, 4 * (whole + cut / 2) / 2);
}

TEST(Training, EveryFrameworkReducesEveryGradient) {
  for (const auto& [framework, bytes] : {std::pair{"ddp", 10e6},
                                         {"one", 10e6},
                                         {"per-tensor", 10e6},
                                         {"megatron", 10e6},
                                         {"megatron:overlap=1,compression=fp16", 5e6},
                                         {"zero1", 20e6},  // scattered, then gathered
                                         {"zero2", 20e6},
                                         {"zero3", 30e6},  // gathered twice, scattered once
                                         {"fsdp", 30e6},
                                         {"parameter-server", 80e6}}) {  // of each of 4, there and back
    const auto sizes = collectives(training_job(equal_layers(10, framework, 4)));
    EXPECT_NEAR(std::accumulate(sizes.begin(), sizes.end(), Bytes()).value, bytes, 1) << framework;
  }
  double offered = 0;
  const Job job = training_job(equal_layers(10, "horovod", 4));
  for (const JobActivity& a : job.roles[0].activities)
    if (a.kind == Kind::offer) offered += a.bytes.value;
  EXPECT_NEAR(offered, 10e6, 1);
}

/// A unit a layer: a gather takes 1 ms, as a forward pass does, and a scatter 1 ms more beneath a backward
/// pass of 2. The first gather of all and the last scatter are exposed: 1 + 30 + 1 ms.
TEST(Training, GathersAreAheadOfScatters) {
  Training t = equal_layers(10, "fsdp", 4);
  for (int i = 0; i < 10; ++i) t.model.layers[static_cast<std::size_t>(i)].block = i;
  EXPECT_NEAR(play(training_job(t), bandwidth(1)).time.value, 32e-3, 1e-9);
}

/// Of 16 ranks 4 share parameters: they gather and scatter as much as 4 alone do, and the 4 replicas add up a
/// fourth of it: on a stream of its own, so that only the last 0.25 ms are exposed.
TEST(Training, ReplicasOfShardedParametersAreAddedUp) {
  Training t = equal_layers(10, "fsdp:shard=4", 16);
  for (int i = 0; i < 10; ++i) t.model.layers[static_cast<std::size_t>(i)].block = i;
  const Job job = training_job(t);
  std::map<std::string, Bytes> sent;
  for (const JobActivity& a : job.roles[0].activities)
    if (a.kind == Kind::collective) sent[a.part] += a.bytes;
  EXPECT_THAT(sent, ::testing::UnorderedElementsAre(::testing::Pair("shard allgather", Bytes(20e6)),
                                                    ::testing::Pair("shard reduce-scatter", Bytes(10e6)),
                                                    ::testing::Pair("replicas allreduce", Bytes(2.5e6))));
  EXPECT_NEAR(play(job, bandwidth(1)).time.value, 32.25e-3, 1e-9);
  EXPECT_DOUBLE_EQ(memory_need(t).parameters.value, 2.5e6);
  t.framework = parse_framework("fsdp:shard=16");
  const Training whole = [&] {
    Training other = t;
    other.framework = parse_framework("fsdp");
    return other;
  }();
  EXPECT_EQ(play(training_job(t), bandwidth(1)).time, play(training_job(whole), bandwidth(1)).time);
}

/// Everything at once, behind the backward pass: 30 + 10 ms.
TEST(Training, OneAllreduceIsExposed) {
  EXPECT_NEAR(play(training_job(equal_layers(10, "one", 4)), bandwidth(1)).time.value, 40e-3, 1e-9);
}

/// 10 MB on two nodes of four, a second per GB and phase: scattered 10 ms, reduced 2.5 ms, gathered 10 ms.
TEST(Training, LevelByLevel) {
  for (const char* framework : {"one:hierarchical=1", "ddl", "tf-distribute:hierarchical=1"}) {
    Training t = equal_layers(10, framework, 8);
    t.ranks_per_node = 4;
    const Job job = training_job(t);
    EXPECT_EQ(collectives(job), (std::vector<Bytes>{Bytes(10e6), Bytes(2.5e6), Bytes(10e6)})) << framework;
    EXPECT_NEAR(play(job, bandwidth(1)).time.value, 52.5e-3, 1e-9);
  }
  EXPECT_EQ(collectives(training_job(equal_layers(10, "tf-distribute:pack=5MB", 4))),
            std::vector<Bytes>(2, Bytes(5e6)));
}

/// A byte takes a nanosecond, each collective a millisecond: few large buffers come late, many small ones
/// take long.
TEST(Training, AutotuningTakesTheFastest) {
  const PriceOf price = [](const GroupCall& call) {
    const Seconds t(call.control ? 0 : 1e-3 + call.bytes.value * 1e-9);
    return Price{t, t, t, "bytes"};
  };
  const StepForecast step = forecast_step(equal_layers(10, "horovod:autotune=1", 4), price);
  const StepForecast fixed = forecast_step(equal_layers(10, "horovod:fusion=64MiB,cycle=100ms", 4), price);
  EXPECT_LT(step.time, fixed.time);
  for (const char* fusion : {"64MiB", "8MiB", "1MiB"})
    for (const char* cycle : {"1ms", "5ms", "25ms"})
      EXPECT_LE(step.time,
                forecast_step(
                    equal_layers(10, std::string("horovod:fusion=") + fusion + ",cycle=" + cycle, 4), price)
                    .time);
  EXPECT_TRUE(step.framework.autotune);
}

/// Gradients are added up once in four micro-batches.
TEST(Training, AccumulationCommunicatesOnce) {
  Training t = equal_layers(10, "one:micro-batches=4", 4);
  t.batch = 4;
  EXPECT_NEAR(play(training_job(t), bandwidth(1)).time.value, 130e-3, 1e-9);
}

/// Unless each rank has room for its share alone: four times 10 MB are scattered, and gathered once (ZeRO-2)
/// or eight times (ZeRO-3). What a rank updates stays a fourth of 2.5 million parameters.
TEST(Training, ShardedGradientsAreReducedEachTime) {
  for (const auto& [framework, bytes] : {std::pair{"zero1:micro-batches=4", 20e6},
                                         {"zero2:micro-batches=4", 50e6},
                                         {"zero2:micro-batches=4,overlap=1", 50e6},
                                         {"zero3:micro-batches=4", 120e6}}) {
    Training t = equal_layers(10, framework, 4);
    t.batch = 4, t.processor.bandwidth = BytesPerSecond(1e9);
    const Job job = training_job(t);
    const auto sizes = collectives(job);
    EXPECT_NEAR(std::accumulate(sizes.begin(), sizes.end(), Bytes()).value, bytes, 1) << framework;
    const auto update = std::ranges::find(job.roles[0].activities, "optimizer", &JobActivity::name);
    EXPECT_NEAR(update->time.value, 625'000 * 20 / 1e9, 1e-12) << framework;  // 20 bytes a parameter
  }
}

/// ZeRO-2 sends at the end of each of four micro-batches what a bucket has, so that all but the last one's 10
/// ms are hidden behind the next one's computation; without overlap nothing is.
TEST(Training, ShardedGradientsDoNotWaitForTheNextMicroBatch) {
  const auto step = [](const char* framework) {
    Training t = equal_layers(10, framework, 4);
    t.batch = 4;
    const Job job = training_job(t);
    EXPECT_EQ(std::ranges::count(collectives(job), Bytes(10e6)), 5)
        << framework;  // and all are gathered once
    return play(job, bandwidth(1)).time.value;
  };
  EXPECT_NEAR(step("zero2:micro-batches=4,overlap=1"), 120e-3 + 2 * 10e-3, 1e-9);
  EXPECT_NEAR(step("zero2:micro-batches=4"), 120e-3 + 5 * 10e-3, 1e-9);
}

/// Parameters are gathered in buckets of as many elements as gradients are, which have twice the bytes.
TEST(Training, GatheredBucketsHaveAsManyElements) {
  Training t = equal_layers(10, "zero1:bucket=1MiB,gradients=fp32", 4);
  t.precision = Precision::amp;
  const std::vector<Bytes> sizes = collectives(training_job(t));
  EXPECT_EQ(sizes.size(), 20u);  // 10 MB scattered, 5 MB gathered
  EXPECT_EQ(std::ranges::count(sizes, Bytes(1048576)), 9);
  EXPECT_EQ(std::ranges::count(sizes, Bytes(524288)), 9);
}

/// As their sources count, in elements: DeepSpeed 5e8, Megatron 4e7 or a million a rank, and one without
/// overlap.
TEST(Training, BucketsAreThoseOfTheirSources) {
  const auto sizes = [](const std::string& framework, Precision precision, Rank ranks) {
    Training t = equal_layers(1, framework, ranks);
    t.model.layers.assign(12, t.model.layers[0]);
    for (Layer& l : t.model.layers) l.tensors = {1e8};
    t.precision = precision;
    return collectives(training_job(t));
  };
  EXPECT_EQ(sizes("megatron", Precision::fp32, 4), std::vector<Bytes>(1, Bytes(4.8e9)));
  EXPECT_EQ(sizes("megatron:overlap=1", Precision::fp32, 4).size(), 12u);
  EXPECT_EQ(sizes("megatron:overlap=1", Precision::fp32, 101).size(), 6u);  // 1.01e8: closed by the second
  EXPECT_EQ(sizes("megatron:bucket=2.4GB", Precision::fp32, 4).size(), 2u);
  for (const auto& [precision, scattered] : {std::pair{Precision::fp32, 2e9}, {Precision::amp, 1e9}})
    EXPECT_EQ(sizes("zero1", precision, 4)[0], Bytes(scattered));
  EXPECT_EQ(sizes("ddp:first=1GB,bucket=0", Precision::fp32, 4)[0], Bytes(1.2e9));
}

/// What was compressed on its way to a parameter server comes back as it is kept: 20 + 40 MB.
TEST(Training, ParametersAreNotCompressed) {
  const auto sizes = collectives(training_job(equal_layers(10, "parameter-server:compression=fp16", 4)));
  EXPECT_NEAR(std::accumulate(sizes.begin(), sizes.end(), Bytes()).value, 60e6, 1);
}

/// A buffer is copied into and out of, read and written at 1 TB/s. Its size is rounded up to 8 x 64 bytes for
/// each rank of a node, 2048 here: 489 of them.
TEST(Training, HorovodsBuffersAreRoundedAndCopied) {
  Training t = equal_layers(10, "horovod:fusion=1000001", 8);
  t.ranks_per_node = 4, t.processor.bandwidth = BytesPerSecond(1e12);
  const Coordinator c = training_job(t).coordinator.value();
  EXPECT_EQ(c.threshold, Bytes(489 * 2048));
  EXPECT_DOUBLE_EQ(c.copy.value, 2e-12);
}

/// What was said stays, as Horovod keeps what its environment sets; nobody asked for levels.
TEST(Training, AutotuningKeepsWhatWasSaid) {
  Training t = equal_layers(10, "horovod:autotune=1,fusion=2MiB,cycle=30ms", 4);
  const Framework kept = forecast_step(t, bandwidth(1)).framework;
  EXPECT_EQ(kept.fusion, Bytes(2097152));
  EXPECT_EQ(kept.cycle, Seconds(30e-3));
  t.ranks = 8, t.ranks_per_node = 4;
  t.framework = parse_framework("horovod:autotune=1,hierarchical=1");
  EXPECT_TRUE(forecast_step(t, bandwidth(1)).framework.hierarchical);
  t.model = load_model("gpt:layers=2");
  t.framework = parse_framework("horovod:autotune=1,tp=2");
  EXPECT_FALSE(forecast_step(t, bandwidth(1)).framework.hierarchical);
}

/// GPipe and 1F1B: (m + p - 1) micro-batches of a stage's time; 8 layers in 4 stages take 6 ms each.
TEST(Training, BubblesComeOut) {
  for (const char* schedule : {"gpipe", "1f1b"}) {
    Training t = equal_layers(8, std::string("ddp:pp=4,micro-batches=8,schedule=") + schedule, 4);
    t.batch = 8;
    EXPECT_NEAR(play(training_job(t), nothing).time.value, (8 + 4 - 1) * 6e-3, 1e-9) << schedule;
  }
}

/// The stages wait 3 of 11 times, and communicate nothing; with messages of 8 MB, 1 ms each, the last stage
/// receives 8.
TEST(Training, BubblesAreNoCommunication) {
  Training t = equal_layers(8, "ddp:pp=4,micro-batches=8,schedule=1f1b", 4);
  t.batch = 8;
  const StepForecast quiet = forecast_step(t, nothing);
  EXPECT_NEAR(quiet.bubble.value, 3 * 6e-3, 1e-9);
  EXPECT_NEAR(quiet.exposed.value, 0, 1e-12);
  EXPECT_NEAR((quiet.communication + quiet.hidden).value, 0, 1e-12);
  for (Layer& l : t.model.layers) l.out = 250'000;
  const StepForecast step = forecast_step(t, bandwidth(1));
  EXPECT_NEAR(step.communication.value, 2 * 8 * 1e-3, 1e-9);  // both ways
  EXPECT_NEAR((step.compute + step.exposed + step.bubble).value, step.time.value, 1e-12);
  EXPECT_NEAR((step.exposed + step.hidden).value, step.communication.value, 1e-9);
  EXPECT_GT(step.bubble, quiet.bubble);
}

/// Interleaved: the bubble of p - 1 is shared by v chunks: m v + p - 1 passes of a chunk's time.
TEST(Training, InterleavingShrinksTheBubble) {
  for (const int chunks : {1, 2, 4}) {
    Training t = equal_layers(16, "ddp:pp=4,micro-batches=8,interleave=" + std::to_string(chunks), 4);
    t.batch = 8;
    const double chunk = 3e-3 * 16 / (4 * chunks);
    EXPECT_NEAR(play(training_job(t), nothing).time.value, (8 * chunks + 3) * chunk, 1e-9) << chunks;
  }
}

/// Two stages of a layer each (1 ms forward, 2 ms backward), two micro-batches. Stage 1: F0 1-2, F1 2-3; R1
/// 3-4, B1 4-6, R0 6-7, B0 7-9. Stage 0: F0 0-1, F1 1-2; R1 2-3 at once, B1 6-8 with its gradient, R0 8-9, B0
/// 9-11. Without R1, GPipe's last: B1 3-5, R0 5-6, B0 6-8; B1 5-7, R0 7-8, B0 8-10. 1F1B waits for the
/// gradient first: F0 1-2, R0 2-3, B0 3-5, F1 5-6, R1 6-7, B1 7-9; R0 5-6, B0 6-8, R1 9-10, B1 10-12.
TEST(Training, GPipeRecomputesBeforeTheGradientComes) {
  for (const auto& [schedule, milliseconds] : {std::pair{"gpipe,recompute=1", 11.0},
                                               {"gpipe,recompute=except-last", 10.0},
                                               {"1f1b,recompute=1", 12.0}}) {
    Training t = equal_layers(2, std::string("one:pp=2,micro-batches=2,schedule=") + schedule, 2);
    t.batch = 2;
    EXPECT_NEAR(play(training_job(t), nothing).time.value, milliseconds * 1e-3, 1e-12) << schedule;
    EXPECT_NEAR(step_alone(t).value, 12e-3, 1e-12);  // of a processor that recomputes nothing
  }
}

/// On one processor the first micro-batch is recomputed: 2 x 6 + 2 ms.
TEST(Training, TheLastMicroBatchIsNotRecomputed) {
  Training t = equal_layers(2, "one:micro-batches=2,schedule=gpipe,recompute=except-last", 1);
  t.batch = 2;
  EXPECT_NEAR(play(training_job(t), nothing).time.value, 14e-3, 1e-12);
}

/// 8 layers of 3 ms as 6 and 2: two micro-batches pass the longer stage in 36 ms, and the shorter in 2 before
/// and 4 behind.
TEST(Training, BalanceSaysWhereStagesEnd) {
  Training t = equal_layers(8, "one:pp=2,micro-batches=2,schedule=gpipe,balance=6/2", 2);
  t.batch = 2;
  EXPECT_NEAR(play(training_job(t), nothing).time.value, 42e-3, 1e-12);
}

/// 4 blocks as 3 and 1 are their layers, with what stands before and behind them.
TEST(Training, BalanceTakesBlocksToo) {
  const auto parts = [](const std::string& balance) {
    Training t = equal_layers(1, "one:pp=2,micro-batches=2,balance=" + balance, 2);
    t.batch = 2, t.model = load_model("gpt:layers=4,hidden=8,heads=2,sequence=4,vocabulary=10");
    return Plan(t).parts;
  };
  const std::vector<Layer> layers = load_model("gpt:layers=4").layers;
  const auto first = static_cast<std::size_t>(std::ranges::find(layers, 3, &Layer::block) - layers.begin());
  const std::vector<Part> blocks = parts("3/1");
  EXPECT_EQ(blocks[0].last, first);
  EXPECT_EQ(blocks[1].last, layers.size());
  EXPECT_EQ(parts(std::to_string(first) + '/' + std::to_string(layers.size() - first))[0].last, first);
  EXPECT_EQ(complaint([&] { parts("3/2"); }),
            "training: balance shares out 5, gpt:layers=4,hidden=8,heads=2,sequence=4,vocabulary=10 has 4 "
            "blocks, or " +
                std::to_string(layers.size()) + " layers");
}

/// Layer 2 reads what layers 0 and 1 make, 4 MB each, 4 ms at 1 GB/s. Forward 0-1, to both later stages 1-5;
/// forward 5-6, on 6-10, forward 10-11, backward 11-13; gradients to both 13-17; backward 17-19, on 19-23,
/// backward 23-25.
TEST(Training, ConnectionsSkipStages) {
  Training t = equal_layers(3, "one:pp=3,micro-batches=1,schedule=gpipe", 3);
  for (Layer& l : t.model.layers) l.out = 1e6;
  t.model.layers[2].reads = {0, 1};
  const Job job = training_job(t);
  EXPECT_NEAR(play(job, bandwidth(1)).time.value, 25e-3, 1e-9);
  double sent = 0;
  for (const Role& r : job.roles)
    for (const JobActivity& a : r.activities)
      if (a.kind == Kind::send) sent += a.bytes.value;
  EXPECT_EQ(sent, 2 * 3 * 4e6);  // each way
  // a stage that reads a tensor twice gets it once
  t.framework = parse_framework("one:pp=2,micro-batches=1,schedule=gpipe,balance=1/2");
  t.ranks = 2;
  EXPECT_NEAR(play(training_job(t), bandwidth(1)).time.value, 9e-3 + 8e-3, 1e-9);
}

/// With recomputation a stage of four layers keeps what it reads of each of 3 micro-batches of 2 samples, 5
/// elements a sample, and the activations of one: 4 x 7 elements.
TEST(Training, RecomputationKeepsOneMicroBatch) {
  Training t = equal_layers(8, "one:pp=2,micro-batches=3,schedule=gpipe,recompute=1", 2);
  for (Layer& l : t.model.layers) l.in = l.out = 5, l.kept = 7;
  t.batch = 6;
  EXPECT_EQ(memory_need(t).activations, Bytes(4.0 * 2 * (3 * 5 + 28)));
  t.framework.recompute = Framework::Recompute::no;
  EXPECT_EQ(memory_need(t).activations, Bytes(4.0 * 2 * 3 * 28));
}

/// A gpt of two blocks, h = 8, s = 4, 2 heads, 10 words. A block keeps 17 s h + 2.5 a s^2 elements and reads
/// s h, all of which sequence parallelism halves; outside are the last norm, s h, and the logits, s V, which
/// the loss takes in 32 bits, with their gradient. The core of attention makes 2.5 a s^2 of a block.
TEST(Training, RecomputationRepeatsBlocks) {
  const double sh = 32, core = 2.5 * 2 * 16, block = 17 * sh + core, read = sh, words = 40;
  for (const auto& [settings, elements] :
       {std::pair{"", 2 * block + sh + words},
        {"recompute=1", 2 * read + block + sh + words},
        {"recompute=selective", 2 * (block - core) + core + sh + words},
        {"tp=2,sequence=1", block + sh + words / 2},
        {"tp=2,sequence=1,recompute=1", read + block / 2 + sh + words / 2},
        {"tp=2,sequence=1,recompute=selective", block - core + core / 2 + sh + words / 2}}) {
    const std::string framework = std::string("one") + (*settings ? ":" : "") + settings;
    Training t = equal_layers(1, framework, 2);
    t.model = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4,vocabulary=10");
    const double logits = words / t.framework.tensor;
    EXPECT_DOUBLE_EQ(memory_need(t).activations.value, 4 * elements + 8 * logits) << settings;
  }
  // two micro-batches under way; the last is not repeated
  Training t = equal_layers(1, "one:recompute=except-last,micro-batches=2,schedule=gpipe", 1);
  t.model = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4,vocabulary=10");
  t.batch = 2;
  EXPECT_DOUBLE_EQ(memory_need(t).activations.value,
                   4 * (2 * read + 2 * (sh + words) + 2 * block) + 2 * 8 * words);
  // a single micro-batch is not repeated: nothing is kept besides
  Training one = equal_layers(1, "one:recompute=except-last,micro-batches=1", 2), none = one;
  none.framework = parse_framework("one:micro-batches=1");
  one.model = none.model = t.model;
  EXPECT_EQ(memory_need(one).activations, memory_need(none).activations);
}

/// Of each block once more the forward pass, of the embedding and the output layer not; selective: of the
/// core.
TEST(Training, RecomputationTakesWhatItRepeats) {
  Training t = equal_layers(1, "one", 1);
  t.model = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4,vocabulary=10");
  const double once = play(training_job(t), nothing).time.value;
  const double blocks = 2e-9 * (24.0 * 4 * 64 + 4.0 * 16 * 8), core = 2e-9 * 4.0 * 16 * 8;
  t.framework = parse_framework("one:recompute=1");
  EXPECT_NEAR(play(training_job(t), nothing).time.value, once + blocks, 1e-12);
  t.framework = parse_framework("one:recompute=selective");
  EXPECT_NEAR(play(training_job(t), nothing).time.value, once + core, 1e-12);
  // a sum behind the word embedding, and two of a block each way: repeated where they are forward
  const auto sums = [&](const std::string& framework) {
    t.framework = parse_framework(framework), t.ranks = 2;
    return std::ranges::count(training_job(t).roles[0].activities, "tensor allreduce", &JobActivity::name);
  };
  EXPECT_EQ(sums("one:tp=2,recompute=1"), sums("one:tp=2") + 2 * 2);
}

/// Flash attention keeps s h of a block, and repeats no scores.
TEST(Training, FlashAttentionKeepsNoScores) {
  const Model plain = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4");
  const Model flash = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4,flash=1");
  EXPECT_DOUBLE_EQ(plain.kept() - flash.kept(), 2 * 2.5 * 2 * 16);
  EXPECT_DOUBLE_EQ(plain.parameters(), flash.parameters());
}

/// A node of 8 A100 trains 22 B, 8 of them 175 B with interleaved stages (Korthikanti et al. 2022): only with
/// sequence parallelism and selective recomputation, or with all recomputed.
TEST(Training, KorthikantisModelsFit) {
  for (const auto& [model, ranks, batch, framework] :
       {std::tuple{"gpt:layers=48,hidden=6144,heads=64,sequence=2048,vocabulary=51200", 8, 4,
                   "megatron:tp=8"},
        {"gpt:layers=96,hidden=12288,heads=96,sequence=2048,vocabulary=51200", 64, 64,
         "megatron:tp=8,pp=8,interleave=3,micro-batches=64"}})
    for (const auto& [settings, fits] :
         {std::pair{"", false}, {",sequence=1,recompute=selective", true}, {",recompute=1", true}}) {
      Training t = equal_layers(1, std::string(framework) + settings, ranks);
      t.model = load_model(model), t.batch = batch, t.precision = Precision::amp;
      EXPECT_EQ(memory_need(t).sum() < Bytes(80 * 1073741824.0), fits) << framework << settings;
    }
}

/// One KV head of 8 is copied to both of the ranks that share 8 query heads: of K and V each has 64 x 8.
TEST(Training, KvHeadsAreCopied) {
  Training t = equal_layers(1, "one:tp=2", 2);
  t.model =
      load_model("llama:layers=1,hidden=64,heads=8,kv-heads=1,sequence=4,vocabulary=10,feed-forward=16");
  const double shared = 2 * 64 * 64 + 3 * 64 * 16 + 2 * 64 * 10, whole = 2 * 64 * 8 + 3 * 64;
  EXPECT_DOUBLE_EQ(memory_need(t).parameters.value, 4 * (shared / 2 + whole));
}

/// Steps on one P40 (torchgpipe a1b4ee2, docs/benchmarks.rst): 118 images at 95.862 a second, 40 at 28.5.
TEST(Training, PascalsKernelsMeetOneP40) {
  for (const auto& [model, batch, throughput] : {std::tuple{"resnet101", 118, 95.862}, {"unet", 40, 28.5}}) {
    Training t = equal_layers(1, "ddp", 1);
    t.model = load_model(model), t.batch = batch;
    t.processor = processor(load_platform("p40-node"), Precision::fp32);
    EXPECT_NEAR(step_alone(t).value, batch / throughput, 0.02 * batch / throughput) << model;
  }
}

/// A convolution of 2 Gflop takes 2 s. Of 1x1 and 4 to 9 channels, 6 in the mean: 0.75 x 6 / (6 + 3) = 0.5;
/// of 3x3 and 4 to 4 channels 4 x 4 / (4 + 4) = 2. 1 GB takes 1 s, through a pool 2 s, averaged 5 s.
TEST(Training, KernelsReachSharesOfTheirOwn) {
  Processor p = plain();
  p.bandwidth = BytesPerSecond(1e9);
  const auto forward = [&](LayerKind kind, double flops, double elements, double weights) {
    Layer l;
    l.kind = kind, l.flops = flops, l.in = elements;
    if (weights > 0) l.tensors = {weights};
    return layer_time(l, 1, 1, p, Precision::fp32).forward.value;
  };
  for (const bool own : {false, true}) {
    if (own) p.efficiency.pointwise = {0.75, 3, 1}, p.efficiency.convolution_3x3 = {4, 4, 9};
    if (own) p.efficiency.pooling = 0.5, p.efficiency.average_pooling = 0.2;
    EXPECT_DOUBLE_EQ(forward(LayerKind::convolution, 2e9, 0, 0), 2);
    EXPECT_DOUBLE_EQ(forward(LayerKind::pointwise_convolution, 2e9, 0, 4 * 9), own ? 4 : 2);
    EXPECT_DOUBLE_EQ(forward(LayerKind::convolution_3x3, 2e9, 0, 9 * 4 * 4), own ? 1 : 2);
    EXPECT_DOUBLE_EQ(forward(LayerKind::elementwise, 0, 0.25e9, 0), 1);
    EXPECT_DOUBLE_EQ(forward(LayerKind::pooling, 0, 0.25e9, 0), own ? 2 : 1);
    EXPECT_DOUBLE_EQ(forward(LayerKind::average_pooling, 0, 0.25e9, 0), own ? 5 : 1);
  }
}

/// 10 words of 400 to 900 channels, c = 600 in the mean: 7.2 Mflop at 0.8 x 600 / (600 + 600) = 0.4 take 18
/// ms. A quarter of the work, c = 300, at 0.8 / 3: 6.75 ms. Without shape, or without flops, as all.
TEST(Training, ProductsReachWhatTheirWidthAllows) {
  Processor p = plain();
  p.efficiency.linear = 0.5;
  Layer l;
  l.kind = LayerKind::linear, l.flops = 7.2e6, l.in = 4000, l.out = 9000;
  const auto forward = [&](double share) {
    return layer_time(l, 1, share, p, Precision::amp).forward.value * 1e3;
  };
  EXPECT_DOUBLE_EQ(forward(1), 14.4);
  p.efficiency.product = {0.8, 600, 1};
  EXPECT_DOUBLE_EQ(forward(1), 18);
  EXPECT_DOUBLE_EQ(forward(0.25), 6.75);
  l.in = 0;
  EXPECT_DOUBLE_EQ(forward(1), 14.4);
  l.in = 4000, l.flops = 0;
  EXPECT_NEAR(forward(1), 0, 1e-12);
}

/// 0.5 G elements of 2 B, read and written, take 2 s at 1 GB/s; in a transformer's block, at 0.25 of it, 8 s.
TEST(Training, WhatIsBetweenProductsIsSlower) {
  Processor p = plain();
  p.bandwidth = BytesPerSecond(1e9);
  p.efficiency.between_products = 0.25;
  Layer l;
  l.in = l.out = 0.5e9;
  const auto forward = [&] { return layer_time(l, 1, 1, p, Precision::amp).forward.value; };
  EXPECT_DOUBLE_EQ(forward(), 2);
  l.block = 0;
  EXPECT_DOUBLE_EQ(forward(), 8);
  l.kind = LayerKind::attention;
  EXPECT_DOUBLE_EQ(forward(), 2);
}

/// A launch takes 1 ms, its host 3 ms: 1 ms of work waits for the host, 5 ms do not. Backward are 2 kernels.
TEST(Training, TheHostIssuesKernelsAtItsOwnPace) {
  Processor p = plain();
  p.efficiency.launch = Seconds(1e-3), p.efficiency.issue = Seconds(3e-3);
  Layer l;
  l.kind = LayerKind::linear;
  for (const auto& [work, forward, backward] : {std::array{1.0, 3.0, 6.0}, {5.0, 6.0, 12.0}}) {
    l.flops = work * 1e6, l.backward_flops = 2 * l.flops;
    const LayerTime time = layer_time(l, 1, 1, p, Precision::amp);
    EXPECT_DOUBLE_EQ(time.forward.value * 1e3, forward);
    EXPECT_DOUBLE_EQ(time.backward.value * 1e3, backward);
  }
}

/// Heads of 60 elements reach half of the peak, and 300 words a third of that: 1 Gflop takes 1 s at 6
/// Gflop/s. In separate products, at half of the peak, it takes a third.
TEST(Training, AttentionInOneKernelLikesLongSequences) {
  Processor p = plain();
  p.flops = 6e9;
  p.efficiency.linear = 0.5;
  p.efficiency.attention = {1, 60, 600};
  Layer l;
  l.kind = LayerKind::attention;
  l.flops = 1e9, l.head = 60;
  l.out = l.flops / (2 * 300);
  EXPECT_NEAR(layer_time(l, 1, 1, p, Precision::amp).forward.value, 1, 1e-12);
  l.head = 0;
  EXPECT_NEAR(layer_time(l, 1, 1, p, Precision::amp).forward.value, 1.0 / 3, 1e-12);
}

/// 1 G parameters are cast to 16 bits and their gradients back, 10 B each at 1 GB/s: 10 s. Megatron-LM holds
/// them in 16 bits.
TEST(Training, ParametersIn32BitsAreCast) {
  Training t = equal_layers(1, "one", 1);
  t.precision = Precision::amp;
  t.processor.bandwidth = BytesPerSecond(1e9);
  t.model.layers[0].tensors = {1e9};
  const auto compute = [&](const std::string& framework) {
    t.framework = parse_framework(framework);
    return step_alone(t).value;
  };
  const double before = compute("one");
  EXPECT_DOUBLE_EQ(compute("megatron"), before);
  t.processor.efficiency.cast = Bytes(10);
  EXPECT_NEAR(compute("one") - before, 10, 1e-9);
  EXPECT_DOUBLE_EQ(compute("megatron"), before);
}

/// 1 G logits, each 6 B beside the product at 1 GB/s: 3 s forward and 3 s backward.
TEST(Training, TheLossReadsLogits) {
  Processor p = plain();
  p.bandwidth = BytesPerSecond(1e9);
  Layer l;
  l.out = 1e9;
  const LayerTime silent = layer_time(l, 1, 1, p, Precision::amp);
  p.efficiency.loss = Bytes(6);
  l.logits = true;
  const LayerTime heard = layer_time(l, 1, 1, p, Precision::amp);
  EXPECT_NEAR((heard.forward - silent.forward).value, 3, 1e-9);
  EXPECT_NEAR((heard.backward - silent.backward).value, 3, 1e-9);
}

TEST(Training, OrderIsMegatrons) {
  const auto passes = [](const std::string& framework, int stage) {
    std::string text;
    for (const Pass& p : order(parse_framework(framework), stage))
      text += (p.backward ? "B" : "F") + std::to_string(p.micro) + (p.chunk ? "'" : "") + " ";
    return text;
  };
  EXPECT_EQ(passes("ddp:pp=2,micro-batches=3", 0), "F0 F1 B0 F2 B1 B2 ");
  EXPECT_EQ(passes("ddp:pp=2,micro-batches=3", 1), "F0 B0 F1 B1 F2 B2 ");
  EXPECT_EQ(passes("ddp:pp=2,micro-batches=2,schedule=gpipe", 1), "F0 F1 B1 B0 ");
  EXPECT_EQ(passes("gems:pp=2,micro-batches=4", 1), "F0 F1 B0 B1 F2 F3 B2 B3 ");
  EXPECT_EQ(passes("ddp:pp=2,micro-batches=2,interleave=2", 1), "F0 F1 F0' B0' F1' B1' B0 B1 ");
}

/// Four stages of 1 ms forward and 2 ms backward. A replica alone takes 4 + 8 ms; the next one's forward pass
/// runs behind it through the stages, which costs the last stage's 1 ms: 4 + 8 R + (R - 1).
TEST(Training, MirroredReplicasFillTheBubble) {
  for (const auto& [replicas, milliseconds] : {std::pair{1, 12.0}, {2, 21.0}, {4, 39.0}}) {
    Training t = equal_layers(
        4, "gems:pp=4,micro-batches=" + std::to_string(replicas) + ",replicas=" + std::to_string(replicas),
        4);
    t.batch = replicas;
    EXPECT_NEAR(play(training_job(t), nothing).time.value, milliseconds * 1e-3, 1e-9);
  }
}

/// The part of 1 MB that a stage has of the second replica goes to where the first has it, and comes back as
/// it was reduced, at 1 GB/s: 2 ms more; between two data-parallel pipelines an allreduce of 1 MB lies
/// between.
TEST(Training, MirroredReplicasAddUpTheirGradients) {
  for (const auto& [ranks, milliseconds] : {std::pair{4, 23.0}, {8, 24.0}}) {
    Training t = equal_layers(4, "gems:pp=4", ranks);
    t.batch = 2;
    EXPECT_NEAR(play(training_job(t), bandwidth(1)).time.value, milliseconds * 1e-3, 1e-6);
  }
}

/// Stages are neighbours, and replicas on each node: rank 5 is stage 1 of the second pipeline.
TEST(Training, MirroredReplicasLieOnNeighbours) {
  Training t = equal_layers(4, "gems:pp=4", 8);
  t.batch = 2;
  const Job job = training_job(t);
  EXPECT_EQ(job.members({job.role_dimension}).members(), (std::vector<Rank>{0, 1, 2, 3}));
  EXPECT_EQ(job.members(job.groups[0].dimensions).members(), (std::vector<Rank>{0, 4}));
}

/// Two parts of 250,000 parameters, the activations of one sample of one part.
TEST(Training, MirroredReplicasTakeTwiceTheParameters) {
  Training t = equal_layers(4, "gems:pp=4,replicas=6", 4);
  t.batch = 6;
  const MemoryNeed need = memory_need(t);
  EXPECT_EQ(need.parameters, Bytes(2e6));
  EXPECT_EQ(need.activations, Bytes(4));
}

/// 10 layers of 3 ms, and 3 ms of launches beside: two processes fill each other's gaps, four take turns.
TEST(Training, ProcessesOfAGpuFillEachOthersGaps) {
  for (const auto& [processes, milliseconds] : {std::pair{1, 60.0}, {2, 60.0}, {4, 120.0}}) {
    Training t = equal_layers(10, "ddp:view=1,per-gpu=" + std::to_string(processes), 1);
    t.processor.efficiency.launch = Seconds(1e-3);  // forward, and two backward
    EXPECT_NEAR(play(training_job(t), nothing).time.value, milliseconds * 1e-3, 1e-9) << processes;
    EXPECT_NEAR(forecast_step(t, nothing).efficiency, processes * 60 / milliseconds, 1e-6);
  }
}

/// Two processes add up 10 MB in memory of 1 TB/s: copied into the bucket and out of it (2 each), added and
/// fetched (5): 90 us; the optimizer takes 20 B a parameter and process, 100 us.
TEST(Training, ProcessesOfAGpuAddUpInItsMemory) {
  Training t = equal_layers(10, "one:per-gpu=2", 1);
  t.processor.bandwidth = BytesPerSecond(1e12);
  EXPECT_NEAR(play(training_job(t), nothing).time.value, 60e-3 + 90e-6 + 100e-6, 1e-9);
}

/// Of a transformer block 2 allreduces forward and 2 backward, of b s h elements each, and one each way
/// around the embedding and the output.
TEST(Training, TensorParallelismSumsUpTwiceAWay) {
  for (const auto& [extra, factor] : {std::pair{"", 1.0}, {",sequence=1", 2.0}}) {
    Training t = equal_layers(1, std::string("megatron:tp=4") + extra, 4);
    t.model = load_model("gpt:layers=3,hidden=64,heads=4,sequence=32,vocabulary=100");
    t.batch = 2;
    const auto sizes = collectives(training_job(t));
    EXPECT_EQ(sizes.size(), factor * (3 * 4 + 2));
    for (const Bytes b : sizes) EXPECT_DOUBLE_EQ(b.value, 2 * 32 * 64 * 4);
  }
}

/// 10 words of 8: first and last stage add up their gradients, or each of two ranks its half of them. The
/// stages between have no part in it.
TEST(Training, TiedEmbeddingsAreAddedUp) {
  for (const auto& [tensor, bytes] : {std::pair{"", 320.0}, {",tp=2", 160.0}}) {
    Training t = equal_layers(1, std::string("megatron:pp=4,micro-batches=4") + tensor, 8);
    t.model = load_model("gpt:layers=4,hidden=8,heads=2,sequence=4,vocabulary=10");
    t.batch = 4;
    const Job job = training_job(t);
    for (int stage = 0; stage < 4; ++stage) {
      std::vector<double> sent;
      for (const JobActivity& a : job.roles[static_cast<std::size_t>(stage)].activities)
        if (a.kind == Kind::send && a.name == "tied embedding") {
          sent.push_back(a.bytes.value);
          EXPECT_EQ(a.peer, 3 - stage);
        }
      EXPECT_EQ(sent, stage % 3 == 0 ? std::vector{bytes} : std::vector<double>{}) << tensor << stage;
    }
  }
}

/// Stages hand on 4 words of 8 elements; with sequence parallelism each of two ranks its half.
TEST(Training, StagesHandOnWhatARankHas) {
  for (const auto& [sequence, bytes] : {std::pair{"", 128.0}, {",sequence=1", 64.0}}) {
    Training t = equal_layers(1, std::string("megatron:pp=2,tp=2,micro-batches=1") + sequence, 4);
    t.model = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4,vocabulary=10");
    const Job job = training_job(t);
    const auto sent = std::ranges::find(job.roles[0].activities, Kind::send, &JobActivity::kind);
    EXPECT_DOUBLE_EQ(sent->bytes.value, bytes) << sequence;
  }
}

/// Each rank computes a quarter of what is cut.
TEST(Training, TensorParallelismSharesTheWork) {
  Training t = equal_layers(1, "megatron", 1);
  t.model = load_model("gpt:layers=3,hidden=64,heads=4,sequence=32,vocabulary=100");
  const double whole = play(training_job(t), nothing).time.value;
  t.framework = parse_framework("megatron:tp=4");
  t.ranks = 4;
  EXPECT_NEAR(play(training_job(t), nothing).time.value, whole / 4, 1e-9);  // norms cost nothing here
}

/// One block: hidden 8, 2 heads of queries, `kv_heads`, 8 words.
Training llama_of_8_words(const std::string& framework, Rank ranks, int kv_heads = 1) {
  Training t = equal_layers(1, framework, ranks);
  t.model = load_model("llama:layers=1,hidden=8,heads=2,kv-heads=" + std::to_string(kv_heads) +
                       ",sequence=8,vocabulary=10,feed-forward=16");
  t.batch = 2;
  return t;
}

std::vector<double> around_rings(const Job& job) {
  std::vector<double> sizes;
  for (const JobActivity& a : job.roles[0].activities)
    if (a.kind == Kind::collective && a.collective == Collective::sendrecv) {
      EXPECT_EQ(a.group, context_group);
      sizes.push_back(a.bytes.value);
    }
  return sizes;
}

/// K and V of 2 words of 4 elements, 2 samples, 4 bytes: 128 B, forward to 3 other ranks. Backward the
/// gradients follow a step behind. Recomputation looks around once more. Of two KV heads each of two ranks
/// has one.
TEST(Training, KeysAndValuesGoAroundARing) {
  const std::vector<double> forward(3, 128), backward = {128, 256, 256, 128};
  const auto joined = [](std::vector<double> first, const std::vector<double>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  const std::vector<double> both = joined(forward, backward);
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=4", 8))), both);
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=4,tp=2", 8, 2))), both);
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=4,tp=2", 8, 1))), both);
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=4,recompute=1", 8))),
            joined(forward, both));
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron:cp=2", 8))),
            (std::vector<double>{256, 256, 256}));
  EXPECT_EQ(around_rings(training_job(llama_of_8_words("megatron", 8))), std::vector<double>());
}

/// A linear layer and attention, 0.5 ms forward and 1 ms backward each on 2 ranks; 2 MB go around. At 10 GB/s
/// that is hidden, 1 MB of gradients exposed for 0.1 ms. At 2 GB/s the second half of attention's 0.5 ms
/// waits 0.75 ms for 1 ms of messages; of 1 ms backward it waits 0.5 ms, and 0.5 ms for gradients behind it.
TEST(Training, RingsAreHiddenByAttention) {
  Training t = equal_layers(2, "megatron:cp=2", 2);
  Layer& attention = t.model.layers[1];
  attention.kind = LayerKind::attention;
  attention.head = 1;
  attention.out = 125'000;  // of 4 words
  attention.in = 1'125'000;
  attention.tensors = {};
  EXPECT_NEAR(play(training_job(t), bandwidth(10)).time.value, 3e-3 + 0.1e-3, 1e-9);
  EXPECT_NEAR(play(training_job(t), bandwidth(2)).time.value, 3e-3 + 0.75e-3 + 1e-3 + 0.5e-3, 1e-9);
}

/// Megatron-Core: tp fastest, then cp, dp and pp. Gradients are added up over cp x dp.
TEST(Training, RanksOfASequenceComeBehindThoseOfAHead) {
  Training t = equal_layers(1, "megatron:tp=2,cp=2,pp=2,micro-batches=2", 16);
  t.model = load_model("llama:layers=2,hidden=8,heads=2,kv-heads=2,sequence=8,vocabulary=10,feed-forward=16");
  t.batch = 2;
  const Job job = training_job(t);
  const auto group = [&](int index) {
    return job.members(job.groups[static_cast<std::size_t>(index)].dimensions).members();
  };
  EXPECT_EQ(group(tensor_group), (std::vector<Rank>{0, 1}));
  EXPECT_EQ(group(context_group), (std::vector<Rank>{0, 2}));
  EXPECT_EQ(group(data_group), (std::vector<Rank>{0, 2, 4, 6}));
  EXPECT_EQ(job.members({job.role_dimension}).members(), (std::vector<Rank>{0, 8}));
  EXPECT_DOUBLE_EQ(global_batch(t), 2 * 2);
}

/// Each rank has a quarter of the words: of the work, and of the activations. Parameters it has all, of the
/// optimizer's state what it has of all 8 ranks'.
TEST(Training, ContextParallelismSharesTheWork) {
  const Training whole = llama_of_8_words("zero1", 8), shared = llama_of_8_words("zero1:cp=4", 8);
  const auto time = [](const Training& t) { return play(training_job(t), nothing).time.value; };
  EXPECT_NEAR(time(shared), time(whole) / 4, 1e-12);
  EXPECT_DOUBLE_EQ(memory_need(shared).activations.value, memory_need(whole).activations.value / 4);
  EXPECT_EQ(memory_need(shared).parameters, memory_need(whole).parameters);
  EXPECT_EQ(memory_need(shared).optimizer, memory_need(whole).optimizer);
}

/// Steps of the ring are kernels of their own: 4 of attention among 2 words, a launch of 1 ms each, forward;
/// backward twice as many.
TEST(Training, StepsOfARingAreLaunched) {
  Training t = llama_of_8_words("megatron", 4);
  t.processor.efficiency.launch = Seconds(1e-3);
  const Seconds before = play(training_job(t), nothing).time;
  t.framework = parse_framework("megatron:cp=4");
  EXPECT_NEAR((play(training_job(t), nothing).time - before).value, 3 * (1 + 2) * 1e-3, 1e-4);
}

/// One block: hidden 8, 2 heads, 4 words, 2 of 4 experts of 8 x 16 for each word.
Training experts(const std::string& framework, Rank ranks) {
  Training t = equal_layers(1, framework, ranks);
  t.model = load_model(
      "llama:layers=1,hidden=8,heads=2,kv-heads=2,sequence=4,vocabulary=10,feed-forward=16,experts=4,top=2");
  return t;
}

/// Words go to their experts and come back, forward and backward: 2 x 4 words of 8 elements of 4 bytes. The
/// fullest rank has 1.5 times the mean.
TEST(Training, ExpertsAreReachedByAlltoalls) {
  for (const auto& [extra, bytes] : {std::pair{"", 256.0}, {",imbalance=1.5", 384.0}}) {
    const Job job = training_job(experts(std::string("ddp:ep=2") + extra, 4));
    std::vector<std::string> names;
    for (const JobActivity& a : job.roles[0].activities) {
      if (a.collective != Collective::alltoall || a.kind != Kind::collective) continue;
      names.push_back(a.name);
      EXPECT_DOUBLE_EQ(a.bytes.value, bytes);
      EXPECT_EQ(job.groups[static_cast<std::size_t>(a.group)].dimensions, std::vector<int>{1});
    }
    EXPECT_THAT(names, ::testing::ElementsAre("words to experts", "words from experts",
                                              "gradients to experts", "gradients from experts"));
    EXPECT_EQ(job.dimensions[1].size, 2);
    EXPECT_EQ(job.dimensions[2].size, 2);
  }
  EXPECT_THAT(collectives(training_job(experts("ddp", 1))), ::testing::IsEmpty());
}

/// The fullest rank keeps half as many words more: of each of 2 x 4 words 8 elements that the experts read,
/// and 3 x 16 within.
TEST(Training, ExpertsKeepTheWordsOfTheFullestRank) {
  const auto kept = [](const std::string& framework) {
    return memory_need(experts(framework, 4)).activations;
  };
  EXPECT_DOUBLE_EQ((kept("ddp:ep=2,imbalance=1.5") - kept("ddp:ep=2")).value, 4 * 0.5 * 2 * 4 * (8 + 3 * 16));
}

/// A rank's 2 experts have 2 x 3 x 8 x 16 = 768 parameters, which 2 ranks add up; all 4 add up the others:
/// embedding and output 2 x 80, attention 4 x 64, router 32, three norms of 8.
TEST(Training, ExpertsGradientsAreAddedUpByThoseWhoHaveThem) {
  for (const auto& [framework, times] : {std::pair{"ddp:ep=2,first=1e9,bucket=1e9", 1.0},
                                         {"per-tensor:ep=2", 1.0},
                                         {"zero1:ep=2", 2.0}}) {  // scattered, and gathered
    std::map<int, double> elements;                               // by group
    const Job job = training_job(experts(framework, 4));
    for (const JobActivity& a : job.roles[0].activities)
      if (a.kind == Kind::collective && a.collective != Collective::alltoall)
        elements[a.group] += a.bytes.value / 4;
    EXPECT_EQ(elements, (std::map<int, double>{{0, times * (160 + 256 + 32 + 24)}, {3, times * 768}}))
        << framework;
  }
  const Job whole = training_job(experts("ddp:ep=4", 4));  // nobody else has a rank's expert
  for (const JobActivity& a : whole.roles[0].activities) EXPECT_NE(a.group, 3);
  EXPECT_DOUBLE_EQ(memory_need(experts("ddp:ep=4", 4)).parameters.value, 4 * (472 + 384));
  EXPECT_DOUBLE_EQ(memory_need(experts("zero1:ep=2", 4)).optimizer.value, 8 * (472 / 4.0 + 768 / 2.0));
}

/// The first convolution of VGG reads 3 x 96 x 96, the second 64 x 96 x 96: a row of 288 and of 6,144
/// elements from each neighbour, forward and backward.
TEST(Training, ImagesAreSharedOutWithTheirEdges) {
  Training t = equal_layers(1, "ddp:sp=4", 8);
  t.model = load_model("vgg16:image=96");
  t.batch = 2;
  const Job job = training_job(t);
  std::vector<double> halos, joins;
  for (const JobActivity& a : job.roles[0].activities) {
    if (a.name == "halo") halos.push_back(a.bytes.value / 4 / 2);  // elements of a sample
    if (a.name == "gather parts") joins.push_back(a.bytes.value / 4 / 2);
  }
  ASSERT_EQ(halos.size(), 26u);  // 13 convolutions, there and back
  EXPECT_DOUBLE_EQ(halos[0], 2 * 288);
  EXPECT_DOUBLE_EQ(halos[1], 2 * 6144);
  EXPECT_DOUBLE_EQ(halos[25], 2 * 288);
  EXPECT_EQ(joins.size(), 1u);
  EXPECT_EQ(job.groups[0].dimensions, (std::vector<int>{0, 1, 2}));  // all add up gradients
  EXPECT_DOUBLE_EQ(global_batch(t), 4);

  t.framework = parse_framework("ddp:sp=2");  // a neighbour on one side
  const Job pair = training_job(t);
  const auto halo = std::ranges::find(pair.roles[0].activities, "halo", &JobActivity::name);
  ASSERT_NE(halo, pair.roles[0].activities.end());
  EXPECT_EQ(halo->collective, Collective::sendrecv);
  EXPECT_DOUBLE_EQ(halo->bytes.value, 288 * 4 * 2);

  t.framework = parse_framework("ddp:sp=4,recompute=1");  // rows come again with what is computed again
  const Job again = training_job(t);
  EXPECT_EQ(std::ranges::count(again.roles[0].activities, "halo", &JobActivity::name), 3 * 13);
}

/// ZeRO: parameters, gradients and the optimizer's state are shared out one after the other.
TEST(Training, ShardingSavesMemory) {
  const auto need = [](const char* framework) { return memory_need(equal_layers(10, framework, 4)); };
  const MemoryNeed whole = need("ddp");
  EXPECT_DOUBLE_EQ(whole.parameters.value, 10e6);
  EXPECT_DOUBLE_EQ(whole.optimizer.value, 10e6);
  EXPECT_DOUBLE_EQ(need("zero1").optimizer.value, 2.5e6);
  EXPECT_DOUBLE_EQ(need("zero1").gradients.value, 10e6);
  EXPECT_DOUBLE_EQ(need("zero2").gradients.value, 2.5e6);
  EXPECT_DOUBLE_EQ(need("zero2").parameters.value, 10e6);
  EXPECT_DOUBLE_EQ(need("zero3").parameters.value, 2.5e6);
  // units of 27 and 23 layers: in the second's backward pass both are gathered, and its gradients are whole
  EXPECT_DOUBLE_EQ(memory_need(equal_layers(50, "zero3", 4)).other.value, 1073741824 + 50e6 + 23e6);
}

/// In 16 bits 2 bytes a parameter, and a 32-bit copy beside its one moment; gradients are 4 bytes under DDP,
/// 2 under ZeRO.
TEST(Training, MixedPrecisionKeepsA32BitCopy) {
  const auto need = [](const char* framework) {
    Training t = equal_layers(10, framework, 4);
    t.precision = Precision::amp;
    return memory_need(t);
  };
  EXPECT_DOUBLE_EQ(need("ddp").parameters.value, 5e6);
  EXPECT_DOUBLE_EQ(need("ddp").optimizer.value, 2.5e6 * (4 + 4));
  EXPECT_DOUBLE_EQ(need("ddp").gradients.value, 10e6);
  EXPECT_DOUBLE_EQ(need("zero1").gradients.value, 5e6);
}

/// As Megatron-LM has it under bf16: 2 + 4 + 12 bytes a parameter with Adam, and 4 a gradient on the wire.
TEST(Training, GradientsOf16BitsMayBeAddedUpIn32) {
  for (const auto& [framework, bytes] : {std::pair{"megatron", 16.0}, {"megatron:gradients=fp32", 18.0}}) {
    Training t = equal_layers(1, framework, 4);
    t.precision = Precision::amp,
    t.model = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4,vocabulary=10");
    const MemoryNeed need = memory_need(t);
    const double n = t.model.parameters();
    EXPECT_DOUBLE_EQ((need.parameters + need.gradients + need.optimizer).value, bytes * n);
    EXPECT_EQ(collectives(training_job(t)), std::vector{Bytes((bytes - 14) * n)});
  }
}

/// 24 samples of 8 replicas are 3 of each.
TEST(Training, AGlobalBatchIsSharedOut) {
  Training t = equal_layers(10, "ddp", 8);
  t.batch = 3;
  const StepForecast each = forecast_step(t, bandwidth(1));
  t.batch = 1, t.whole_batch = 24;
  EXPECT_EQ(forecast_step(t, bandwidth(1)).time, each.time);
  EXPECT_DOUBLE_EQ(global_batch(t), 24);
}

/// Beside a GiB: a bucket of 25 MiB, or all gradients where they are less; none where gradients lie in their
/// buckets, or nobody adds them up.
TEST(Training, BucketsTakeMemory) {
  const auto other = [](int layers, const char* framework, Rank ranks) {
    return memory_need(equal_layers(layers, framework, ranks)).other.value - 1073741824;
  };
  EXPECT_DOUBLE_EQ(other(50, "ddp", 4), 25 * 1048576);
  EXPECT_DOUBLE_EQ(other(10, "ddp", 4), 10e6);
  EXPECT_DOUBLE_EQ(other(200, "horovod", 4), 128 * 1048576);
  EXPECT_DOUBLE_EQ(other(50, "ddp:view=1", 4), 0);
  EXPECT_DOUBLE_EQ(other(50, "ddp", 1), 0);
}

/// The first of 4 stages keeps 4 micro-batches of its two layers; interleaved in 2 chunks 1 + 3 / (4 x 2)
/// times as many (Korthikanti et al. 2022). The last keeps one.
TEST(Training, StagesKeepTheMicroBatchesUnderWay) {
  for (const auto& [interleave, micro_batches] : {std::pair{"", 4.0}, {",interleave=2", 5.5}}) {
    Training t = equal_layers(8, std::string("one:pp=4,micro-batches=8") + interleave, 4);
    for (Layer& l : t.model.layers) l.kept = 7;
    t.batch = 8;
    EXPECT_DOUBLE_EQ(memory_need(t).activations.value, 4 * 2 * 7 * micro_batches) << interleave;
    t.model.layers.back().tensors = {1e9};  // of the stage that needs most
    EXPECT_DOUBLE_EQ(memory_need(t).activations.value, 4 * 2 * 7 * (*interleave ? 1 + 3 / 8.0 : 1));
  }
}

/// A step of one rank has an efficiency of 1; communication lowers it.
TEST(Training, EfficiencyIsAgainstOneProcessor) {
  EXPECT_NEAR(forecast_step(equal_layers(10, "ddp", 1), nothing).efficiency, 1, 1e-9);
  const StepForecast step = forecast_step(equal_layers(10, "one", 4), bandwidth(1));
  EXPECT_NEAR(step.efficiency, 0.75, 1e-6);
  EXPECT_NEAR(step.exposed.value, 10e-3, 1e-9);
  EXPECT_LT(step.low, step.time);
  EXPECT_GT(step.high, step.time);
}

/// Four ranks that share out an optimizer of 50 ms do as much for a sample as one with a fourth of it.
TEST(Training, EfficiencyCountsAnOptimizerThatIsSharedOut) {
  for (const char* framework : {"zero1", "zero2", "fsdp"}) {
    Training t = equal_layers(10, framework, 4);
    t.processor.bandwidth = BytesPerSecond(1e9);
    const StepForecast step = forecast_step(t, nothing);
    EXPECT_NEAR(step.efficiency, 1, 1e-9) << framework;
  }
}

/// At 1 GB/s: parameter, gradient and momentum are read, parameter and momentum written; Adam has two
/// moments.
TEST(Training, OptimizersReadAndWriteTheirMoments) {
  Processor p = plain();
  p.bandwidth = BytesPerSecond(1e9);
  EXPECT_DOUBLE_EQ(optimizer_time(1e9, false, p).value, 4 * (3 + 2));
  EXPECT_DOUBLE_EQ(optimizer_time(1e9, true, p).value, 4 * (4 + 3));
}

/// 10,000 rows of 8 stand ready; 4 words read and write one each, 2 x 4 x 8 elements at 1 GB/s.
TEST(Training, AnEmbeddingReadsTheRowsOfItsWords) {
  Processor p = plain();
  p.bandwidth = BytesPerSecond(1e9);
  Layer l;
  l.kind = LayerKind::embedding, l.in = l.out = 32, l.tensors = {80'000};
  EXPECT_DOUBLE_EQ(layer_time(l, 1, 1, p, Precision::fp32).forward.value, 64 * 4 / 1e9);
}

/// 30 ms of arithmetic and 30 ms of launches: at the ends of an uncertainty of a tenth both are, and nothing
/// is where the throughput was measured.
TEST(Training, AnIntervalIsThatOfTheProcessor) {
  Training t = equal_layers(10, "ddp", 1);
  t.processor.efficiency.launch = Seconds(1e-3);
  const StepForecast step = forecast_step(t, nothing);
  EXPECT_NEAR(step.time.value, 60e-3, 1e-9);
  EXPECT_NEAR(step.low.value, 60e-3 / 1.1, 1e-9);
  EXPECT_NEAR(step.high.value, 60e-3 * 1.1, 1e-9);
  t.throughput = 10;
  EXPECT_EQ(forecast_step(t, nothing).high, forecast_step(t, nothing).low);
}

/// The host takes 5 ms for each of 10 x 3 kernels, which is longer than they work: its times move, too.
TEST(Training, AnIntervalIsThatOfTheHost) {
  for (const int block : {-1, 0}) {
    Training t = equal_layers(10, "ddp", 1);
    t.processor.efficiency.issue = t.processor.efficiency.issue_in_block = Seconds(5e-3);
    for (Layer& l : t.model.layers) l.block = block;
    const StepForecast step = forecast_step(t, nothing);
    EXPECT_NEAR(step.time.value, 150e-3, 1e-9);
    EXPECT_NEAR(step.low.value, 150e-3 / 1.1, 1e-9);
    EXPECT_NEAR(step.high.value, 150e-3 * 1.1, 1e-9);
  }
}

/// A router of 6 experts is odd, and too small to matter.
TEST(Training, WidthsThatAreNoMultiplesOf8AreFound) {
  const std::string gpt = "gpt:layers=2,hidden=64,heads=2,sequence=16,vocabulary=";
  EXPECT_EQ(odd_width(load_model(gpt + "512")), nullptr);
  const Model odd = load_model(gpt + "509");
  ASSERT_NE(odd_width(odd), nullptr);
  EXPECT_EQ(odd_width(odd)->name, "lm_head");
  EXPECT_EQ(odd_width(load_model("llama:layers=2,hidden=512,heads=8,kv-heads=8,feed-forward=2048,sequence=16,"
                                 "vocabulary=512,experts=6,top=2")),
            nullptr);
}

/// V100: 15.7 TFLOP/s in 32 bits, 125 in mixed precision, 900 GB/s, 16 GiB.
TEST(Training, ProcessorsAreThePlatforms) {
  const Description summit = load_platform("summit");
  EXPECT_DOUBLE_EQ(processor(summit, Precision::fp32).flops, 15.7e12);
  EXPECT_DOUBLE_EQ(processor(summit, Precision::amp).flops, 125e12);
  EXPECT_DOUBLE_EQ(processor(summit, Precision::fp32).memory.value, 16 * 1073741824.0);
  EXPECT_EQ(complaint([&] { processor(summit, Precision::tf32); }),
            "V100-SXM2-16GB has no tf32; take fp32 or amp");
  EXPECT_DOUBLE_EQ(processor(load_platform("dgx-a100"), Precision::tf32).flops, 156e12);
}

/// A P40 computes in 16 bits at a 64th of its pace in 32.
TEST(Training, WithoutTensorCoresAmpComputesInWhatIsFaster) {
  Training t = equal_layers(1, "ddp", 1);
  t.model = load_model("resnet50"), t.batch = 32;
  t.processor = processor(load_platform("p40-node"), Precision::fp32);
  const Seconds fp32 = step_alone(t);
  t.precision = Precision::amp;
  t.processor = processor(load_platform("p40-node"), Precision::amp);
  EXPECT_DOUBLE_EQ(t.processor.flops, 11.76e12);
  EXPECT_LE(step_alone(t), fp32);
}

/// B200, GB200 and MI300X have no figure below that of an H100.
TEST(Training, WhoOutdoesAnotherIsNotSlower) {
  Training t = equal_layers(1, "ddp", 1);
  const auto alone = [&](const char* platform, Precision precision) {
    t.precision = precision;
    t.processor = processor(load_platform(platform), precision);
    return step_alone(t);
  };
  for (const char* model : {"resnet50", "vgg16", "bert-large", "gpt2", "llama2-7b"})
    for (const int batch : {1, 32}) {
      t.model = load_model(model), t.batch = batch;
      for (const char* later : {"dgx-b200", "gb200-nvl72", "azure-mi300x"})
        EXPECT_LE(alone(later, Precision::amp), alone("dgx-h100", Precision::amp)) << model << ' ' << later;
      for (const char* later : {"dgx-b200", "gb200-nvl72"})
        EXPECT_LE(alone(later, Precision::tf32), alone("dgx-h100", Precision::tf32)) << model << ' ' << later;
    }
}

/// Half a node's 32 ranks share 76.8 GB/s of a socket; two ranks share a GPU, unless processes do (per-gpu).
TEST(Training, RanksOfADeviceShareIt) {
  EXPECT_DOUBLE_EQ(processor(load_platform("bluefield-1-cluster"), Precision::fp32).bandwidth.value, 4.8e9);
  Description two = load_platform("edr-cluster");
  const Processor whole = processor(two, Precision::fp32);
  two = parse_platform(R"({"base": "edr-cluster", "node": {"ranks_per_node": 2, "links": [
      {"between": ["gpu0", "cpu0"], "kind": "pcie3-x16"}, {"between": ["cpu0", "nic0"], "kind": "pcie3-x16"},
      {"between": ["gpu0", "gpu0"], "kind": "pcie3-x16"}, {"between": ["cpu0", "cpu0"], "kind": "pcie3-x16"}]}})",
                       "two", "two.json");
  const Processor half = processor(two, Precision::fp32);
  EXPECT_DOUBLE_EQ(half.flops, whole.flops / 2);
  EXPECT_DOUBLE_EQ(half.bandwidth.value, whole.bandwidth.value / 2);
  EXPECT_DOUBLE_EQ(half.memory.value, whole.memory.value / 2);
}

/// Whatever it is called.
TEST(Training, Tf32GoesByTheGeneration) {
  const auto with = [](const char* generation) {
    return parse_platform(
        R"({"base": "edr-cluster", "node": {"vertices": {"gpu0": {"device": "A10"}}}, "devices":
      {"A10": {"generation": ")" +
            std::string(generation) +
            R"(", "memory_bandwidth_GBps": {"value": 600, "source": "a test", "stamp": "guess"},
      "tensor_TFLOPS": {"value": 125, "source": "a test", "stamp": "guess"}}}})",
        "mine", "mine.json");
  };
  EXPECT_DOUBLE_EQ(processor(with("ampere"), Precision::tf32).flops, 62.5e12);
  EXPECT_EQ(complaint([&] { processor(with("volta"), Precision::tf32); }),
            "A10 has no tf32; take fp32 or amp");
}

/// In a block they are twice as fast; casts move 4 bytes for each element read and made and each parameter.
/// Behind the blocks nothing is.
TEST(Training, ProductsOfBlocksAreIn8Bits) {
  Layer l{"mlp", LayerKind::linear, 1e6, 2e6, 1000, 3000, 0, {500}, 0};
  Processor p = plain();
  p.fp8_flops = 2e9;
  const auto sum = [&](Precision precision) {
    const LayerTime time = layer_time(l, 1, 1, p, precision);
    return (time.forward + time.backward).value;
  };
  EXPECT_NEAR(sum(Precision::amp), 3e-3, 1e-12);
  EXPECT_NEAR(sum(Precision::fp8), 1.5e-3, 1e-12);
  p.bandwidth = BytesPerSecond(1e9);
  p.efficiency.bandwidth = 1;
  EXPECT_NEAR(sum(Precision::fp8), 1.5e-3 + 4 * (1000 + 3000 + 500) / 1e9, 1e-12);
  l.block = -1;
  EXPECT_DOUBLE_EQ(sum(Precision::fp8), sum(Precision::amp));
}

/// Half as long at most; 16 bits are stored, and the same gradients travel.
TEST(Training, Fp8IsForDevicesThatStateIt) {
  Training t = equal_layers(1, "megatron:tp=2", 8);
  t.model = load_model("llama2-7b");
  const auto step = [&](const Description& platform, Precision precision) {
    t.processor = processor(platform, precision);
    t.precision = precision;
    return forecast_step(t, bandwidth(100));
  };
  const Description h100 = load_platform("dgx-h100");
  const StepForecast eight = step(h100, Precision::fp8), sixteen = step(h100, Precision::amp);
  EXPECT_LT(eight.compute, sixteen.compute);
  EXPECT_GT(eight.compute, 0.5 * sixteen.compute);
  EXPECT_EQ(eight.communication, sixteen.communication);
  EXPECT_EQ(eight.memory.sum(), sixteen.memory.sum());
  EXPECT_EQ(complaint([] { processor(load_platform("dgx-a100"), Precision::fp8); }),
            "A100-SXM4-80GB has no fp8_TFLOPS; take amp");
}

TEST(Training, SaysWhatIsWrong) {
  const auto error = [](const Training& t) { return complaint([&] { training_job(t); }); };
  EXPECT_EQ(error(equal_layers(8, "ddp:pp=3", 8)),
            "training: 8 ranks do not divide into tensor x spatial x pipeline = 1 x 1 x 3");
  Training eight = equal_layers(1, "ddp", 8);
  eight.precision = Precision::fp8;
  EXPECT_EQ(error(eight),
            "training: fp8 is for the linear layers of transformers' blocks, and equal has none; take amp");
  Training vast = equal_layers(1, "zero1:bucket=64KiB", 8);
  vast.model.layers[0].tensors = {1e15};
  EXPECT_EQ(error(vast),
            "training: a rank's step has more than two million activities; take larger buckets, or "
            "fewer micro-batches");
  EXPECT_EQ(complaint([] { parse_framework("horovod:groups=2,grouped=1"); }),
            "framework horovod: grouped=1 is one group, not groups=2");
  EXPECT_EQ(complaint([] { load_model("bert-base:sequence=10,masked=11"); }),
            "model bert-base: masked takes a whole number from 1 to 10, got '11'");
  EXPECT_EQ(error(equal_layers(8, "ddp:micro-batches=2", 8)),
            "training: a batch of 1 does not divide into 2 micro-batches");
  EXPECT_EQ(error(equal_layers(8, "megatron:tp=2", 8)),
            "training: tensor parallelism shares out attention heads, and equal has none");
  Training t = equal_layers(2, "ddp:pp=4,micro-batches=1", 4);
  EXPECT_EQ(error(t), "training: 2 layers do not make 4 parts of a pipeline");
  t = equal_layers(1, "ddp:pp=2,micro-batches=1", 2);
  t.model = load_model("gpt:layers=3");
  EXPECT_EQ(error(t),
            "training: 3 blocks of gpt:layers=3 do not divide into 2 parts of a pipeline, but into 1, 3; "
            "balance= says the blocks, or the layers, of each part");
  EXPECT_EQ(error(equal_layers(8, "megatron:pp=2", 8)),
            "training: a batch of 1 does not divide into 8 micro-batches (the default for pp=2)");
  EXPECT_EQ(error(equal_layers(8, "gems:pp=2", 8)),
            "training: a batch of 1 does not divide into 2 micro-batches (the default for replicas=2)");
  t = equal_layers(8, "megatron:tp=1,micro-batches=2", 8), t.whole_batch = 24;
  EXPECT_EQ(error(t), "training: a global batch of 24 does not divide into 8 replicas of 2 micro-batches");
  t = equal_layers(8, "zero1:gradients=16bit", 8);
  EXPECT_EQ(error(t), "training: gradients=16bit is for amp and fp8, not for fp32");
  EXPECT_EQ(error(equal_layers(8, "fsdp:shard=3", 4)),
            "training: a data-parallel group of 4 ranks does not divide by shard=3");
  t = equal_layers(1, "megatron:tp=4", 4);
  t.model = load_model("llama:heads=24,hidden=48,kv-heads=6");
  EXPECT_EQ(
      error(t),
      "training: tensor parallelism shares out KV heads or copies them: llama:heads=24,hidden=48,kv-heads=6 "
      "has 6, and neither 6 nor tp=4 divides the other");
  EXPECT_EQ(
      error(equal_layers(8, "megatron:recompute=selective", 8)),
      "training: selective recomputation repeats attention's scores, softmax and values, and equal keeps "
      "none; recompute=1 repeats all");
  EXPECT_EQ(error(equal_layers(8, "ddp:ep=2", 4)),
            "training: equal has no experts that could be shared out (ep), as these have: mixtral-8x7b, "
            "mixtral-8x22b");
  EXPECT_THAT(error(experts("ddp:ep=3", 3)), ::testing::HasSubstr(" experts, which do not divide by ep=3"));
  EXPECT_EQ(error(experts("ddp:ep=4", 2)),
            "training: a data-parallel group of 2 ranks does not divide by ep=4");
  EXPECT_EQ(error(equal_layers(8, "ddp:sp=2", 4)),
            "training: spatial parallelism shares out images, and equal has none");
  EXPECT_EQ(error(equal_layers(8, "megatron:cp=2", 4)),
            "training: context parallelism (cp) needs attention in one kernel, as of llama, or of gpt with "
            "flash=1; equal has none");
  EXPECT_EQ(error(llama_of_8_words("megatron:cp=8", 8)),
            "training: context parallelism cuts a sequence into 2 x cp pieces: 8 tokens of " +
                llama_of_8_words("ddp", 8).model.name + " do not divide by 16");
  EXPECT_EQ(error(llama_of_8_words("megatron:tp=2,cp=4", 4)),
            "training: 4 ranks do not divide into tensor x spatial x context x pipeline = 2 x 1 x 4 x 1");
  EXPECT_EQ(error(llama_of_8_words("fsdp:shard=2,cp=2", 8)),
            "training: parameters that not all ranks share (shard) go without cp");
  Training routed = experts("ddp:ep=2,cp=2", 8);
  EXPECT_EQ(error(routed), "training: sequences are shared out (cp) or experts are (ep), not both");
  t = equal_layers(8, "ddp:sp=97", 97);
  t.model = load_model("vgg16:image=96");
  EXPECT_EQ(error(t), "training: images of vgg16:image=96 have 96 rows, which do not make 97 parts (sp)");
  t = equal_layers(8, "ddp", 4);
  t.processor.flops = 0;
  EXPECT_EQ(error(t),
            "training: the platform does not say how fast plain computes in fp32; give --throughput "
            "or --layer-times");
  t = equal_layers(8, "horovod:hierarchical=1", 6);
  t.ranks_per_node = 4;
  EXPECT_EQ(
      error(t),
      "training: a hierarchical allreduce needs full nodes and no other parallelism: 6 ranks, 4 on a node");

  const auto framework = [](const std::string& text) { return complaint([&] { parse_framework(text); }); };
  EXPECT_TRUE(framework("horvod").starts_with("unknown framework 'horvod'; did you mean horovod? (known: "));
  EXPECT_EQ(framework("horovod:version=0.14").substr(0, 52),
            "framework horovod: unknown version '0.14'; known: 0.");
  EXPECT_EQ(framework("horovod:fusion=big"),
            "framework horovod: fusion 'big' is not understood; sizes are like 1024, 64KiB, 1.5MiB, 100MB");
  EXPECT_EQ(framework("horovod:cycle=soon"),
            "framework horovod: cycle 'soon' is not understood; times are like 3.5ms, 20us, 1s");
  for (const char* whose : {"fsdp", "zero3"}) {
    EXPECT_EQ(framework(std::string(whose) + ":pp=2"),
              std::string("framework ") + whose + ": sharded parameters (fsdp, zero3) go without pp");
    EXPECT_THAT(framework(std::string(whose) + ":other=1"),
                ::testing::Not(::testing::AnyOf(::testing::HasSubstr(" pp,"), ::testing::HasSubstr(" ep,"),
                                                ::testing::HasSubstr("interleave"))));
  }
  EXPECT_EQ(
      framework("horovod:ep=2"),
      "framework horovod: experts are shared out (ep) under ddp, megatron, zero1, zero2, per-tensor, one, "
      "tf-distribute, ddl and gems");
  EXPECT_EQ(framework("megatron:gradients=bf16"),
            "framework megatron: gradients takes 16bit or fp32, got 'bf16'");
  EXPECT_THAT(framework("ddp:gradients=fp32"), ::testing::StartsWith("framework ddp has no 'gradients'"));
  EXPECT_EQ(framework("ddp:cycle=1ms").substr(0, 39), "framework ddp has no 'cycle'; it takes ");
  for (const char* whose : {"fsdp", "zero3"})
    for (const char* what : {"overlap", "bucket"})
      EXPECT_THAT(framework(std::string(whose) + ":" + what + "=0"),
                  ::testing::StartsWith(std::string("framework ") + whose + " has no '" + what + "'"));
  EXPECT_EQ(framework("ddp:view=yes"), "framework ddp: view takes 1 or 0, got 'yes'");
  EXPECT_EQ(framework("ddp:compression=zip"), "framework ddp: compression takes none or fp16, got 'zip'");
  EXPECT_EQ(framework("ddp:schedule=best"),
            "framework ddp:schedule=best: schedule takes 1f1b or gpipe, got 'best'");
  EXPECT_EQ(
      framework("ddp:schedule=gpipe"),
      "framework ddp:schedule=gpipe: schedule needs a pipeline (pp=2 and more) or several micro-batches");
  EXPECT_EQ(framework("ddp:schedule=gpipe,micro-batches=2"), "");
  EXPECT_EQ(framework("horovod:request=1e308s,cache=0"),
            "framework horovod: request takes a time of at most 1e9s, got '1e308s'");
  EXPECT_EQ(framework("ddp:interleave=2"),
            "framework ddp:interleave=2: interleave needs a 1f1b pipeline (pp=2 and more)");
  EXPECT_EQ(framework("ddp:pp=4,interleave=2,micro-batches=6"),
            "framework ddp:pp=4,interleave=2,micro-batches=6: interleaved pipelines need micro-batches that "
            "divide by "
            "pp=4, got 6");
  EXPECT_EQ(
      framework("gems:pp=4,replicas=2,micro-batches=3"),
      "framework gems:pp=4,replicas=2,micro-batches=3: replicas=2 need a gpipe pipeline (pp=2 and more) and "
      "micro-batches that they divide");
  EXPECT_EQ(framework("fsdp:per-gpu=2"),
            "framework fsdp: processes share a GPU (per-gpu) under horovod, ddp, megatron, one, "
            "tf-distribute, ddl and gems");
  EXPECT_EQ(framework("ddp:imbalance=0.5"),
            "framework ddp:imbalance=0.5: imbalance is words of the fullest rank's experts, of the mean: 1 "
            "to ep=1");
  EXPECT_EQ(framework("megatron:ep=8,imbalance=8.5"),
            "framework megatron:ep=8,imbalance=8.5: imbalance is words of the fullest rank's experts, of the "
            "mean: 1 to ep=8");
  EXPECT_EQ(framework("megatron:imbalance=1.2"),
            "framework megatron:imbalance=1.2: imbalance needs experts that are shared out (ep=2 and more)");
  EXPECT_EQ(framework("megatron:sequence=1"),
            "framework megatron:sequence=1: sequence needs tensor parallelism (tp=2 and more)");
  for (const char* whose : {"one", "megatron", "zero1", "ddl", "gems"})
    EXPECT_EQ(framework(std::string(whose) + ":bucket=0"),
              std::string("framework ") + whose + ": bucket takes 65536 bytes or more, got '0'");
  for (const char* setting : {"ddp:bucket=25", "ddp:first=1", "horovod:fusion=64"})
    EXPECT_THAT(framework(setting), ::testing::HasSubstr(" takes 0 or a size of 1 KiB or more, as in 25MiB"));
  EXPECT_EQ(complaint([] { parse_input("packed:shared=0"); }),
            "input packed: shared takes a number from 1e-9 to 1e18, got '0'");
  EXPECT_EQ(framework("ddp:recompute=most"),
            "framework ddp: recompute takes 0, 1, selective or except-last, got 'most'");
  for (const char* wrong : {"3//4", "3/0", "a/4", "-3/4", "99999999999/1"})
    EXPECT_EQ(framework(std::string("ddp:pp=2,balance=") + wrong),
              std::string("framework ddp: balance takes blocks or layers of each part as in 34/37, got '") +
                  wrong + "'");
  EXPECT_EQ(framework("ddp:pp=2,balance=3/4/5"),
            "framework ddp: balance=3/4/5 is of 3 parts, pp x interleave of 2");
  EXPECT_EQ(error(equal_layers(8, "ddp:pp=2,balance=3/4,micro-batches=1", 2)),
            "training: balance shares out 7, equal has 8 layers");
  EXPECT_EQ(complaint([] { parse_precision("fp4"); }),
            "unknown precision 'fp4'; known: fp32, tf32, amp (also fp16, bf16, mixed), fp8");
}

/// Summit's readers (facts of the ECP talk): 27,648 GPUs x 1,200 images/s x 3 x 224 x 224 x 4 B = 19.98 TB/s.
/// GPFS gives 2.5 TB/s: a batch of 1,200, a second of computation, takes 7.99 s; a node's 6 GB/s disk takes
/// 6 x 1,200 x 602,112 B / 6e9 = 0.72 s and is hidden.
TEST(Input, SummitReadsFromItsDisksAndNotFromGpfs) {
  Training t = equal_layers(1, "ddp", 27'648);
  t.model.sample_bytes = 3 * 224 * 224 * 4;
  t.batch = 1200, t.throughput = 1200, t.ranks_per_node = 6;
  t.input = parse_input("packed:shared=2500");
  const StepForecast gpfs = forecast_step(t, nothing);
  EXPECT_NEAR(gpfs.time.value, 1200 * 602'112.0 * 27'648 / 2.5e12, 1e-9);
  EXPECT_NEAR(gpfs.input.value, gpfs.time.value - 1, 1e-9);
  EXPECT_EQ(gpfs.limited_by, "input: shared file system");
  EXPECT_EQ(gpfs.bottlenecks[0].name, "input: shared file system");
  EXPECT_DOUBLE_EQ(gpfs.bottlenecks[0].share, 1);
  t.input = parse_input("packed:local=6");
  const StepForecast nvme = forecast_step(t, nothing);
  EXPECT_NEAR(nvme.time.value, 1, 1e-9);
  EXPECT_EQ(nvme.input, Seconds());
}

/// 8 ranks on nodes of 4, batches of 32: 256 samples. Shared 10 MB / 1 GB/s = 2.56 s; opens 256 / 100 = 2.56
/// s; a node's disk 128 x 10 MB / 2 GB/s = 0.64 s; decoding 128 x 10 ms / 4 cores = 0.32 s; copies 32 x 1 MB
/// / 4 GB/s.
TEST(Input, StagesByHand) {
  Training t = equal_layers(1, "ddp", 8);
  t.model.sample_bytes = 1e6;
  t.batch = 32, t.ranks_per_node = 4;
  const auto all =
      stages(parse_input("files:sample=10MB,shared=1,opens=100,local=2,decode=10ms,cores=4,copy=4"), t);
  ASSERT_EQ(all.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(all[i].time.value, (std::array{2.56, 2.56, 0.64, 0.32, 0.008}[i]), 1e-12) << all[i].name;
  t.framework = parse_framework("ddp:per-gpu=2");  // the batches of both processes go to their GPU
  EXPECT_NEAR(stages(parse_input("packed:copy=4"), t)[0].time.value, 2 * 0.008, 1e-12);
}

/// 4 samples each: a node of 6 takes 24, whether or not others are full. Of two stages only the first reads,
/// 2 ranks of 4 on each of its nodes; those that share heads read a part each.
TEST(Input, OfTheNodeThatReadsMost) {
  const auto disk = [](const std::string& framework, Rank ranks, Rank node) {
    Training t = equal_layers(8, framework, ranks);
    if (framework.find("tp") != std::string::npos) t.model = load_model("gpt:layers=4");
    t.model.sample_bytes = 1e9;
    t.batch = 4, t.ranks_per_node = node;
    return stages(parse_input("packed:local=1"), t)[0].time.value;
  };
  for (const Rank ranks : {6, 7, 12}) EXPECT_NEAR(disk("ddp", ranks, 6), 24, 1e-9) << ranks;
  EXPECT_NEAR(disk("ddp:pp=2,micro-batches=4", 8, 4), 16, 1e-9);  // one node has all that read
  EXPECT_NEAR(disk("ddp:pp=2,micro-batches=4", 4, 4), 8, 1e-9);
  EXPECT_NEAR(disk("gems:pp=2,replicas=2", 8, 4), 8, 1e-9);  // half of 2 pipelines' samples on each stage
  EXPECT_NEAR(disk("megatron:tp=2", 8, 4), 8, 1e-9);
}

/// Two EPYC of 64 cores each.
TEST(Input, AllCoresOfANodeDecode) {
  TrainingText text;
  text.model = "resnet50", text.input = "packed:decode=5ms";
  EXPECT_EQ(described(text, load_platform("dgx-a100")).input->cores, 128);
  EXPECT_EQ(complaint([&] { described(text, load_platform("flat")); }),
            "input: decode needs cores: flat does not say how many a node has");
  text.input += ",cores=4";
  for (const char* platform : {"dgx-a100", "flat"})
    EXPECT_EQ(described(text, load_platform(platform)).input->cores, 4);
}

TEST(Input, BadOnesSayWhat) {
  EXPECT_EQ(complaint([] { parse_input("packed"); }),
            "input packed: needs a stage: from, shared, local, decode or copy");
  EXPECT_EQ(complaint([] { parse_input("files:cores=4,sample=1MiB"); }),
            "input files: needs a stage: from, shared, opens, local, decode or copy");
  EXPECT_EQ(complaint([] { parse_input("packed:copy=4,sample=1MiB"); }),
            "input packed: sample needs from, shared or local, which reads it");
  EXPECT_EQ(complaint([] { parse_input("packed:shared=1,sample=0"); }),
            "input packed: sample takes a size above 0, got '0'");
  EXPECT_EQ(complaint([] { parse_input("packed:copy=4,cores=2"); }),
            "input packed: cores needs decode, what a sample takes of one");
  EXPECT_EQ(complaint([] { parse_input("tape:shared=1"); }), "unknown input 'tape'; known: packed, files");
  EXPECT_THAT(complaint([] { parse_input("packed:opens=1"); }), ::testing::HasSubstr("opens"));
  EXPECT_THAT(complaint([] { parse_input("packed:shared=-1"); }), ::testing::HasSubstr("from 0 to 1e18"));
}

/// 2.5 million parameters with a moment, 8 bytes each: 20 MB. At 2 GB/s 10 ms, every 10 steps: 1 ms of each.
TEST(Checkpoint, TakesItsShareOfEachStep) {
  Training t = equal_layers(10, "ddp", 4);
  const StepForecast without = forecast_step(t, nothing);
  t.checkpoint = parse_checkpoint("blocking:every=10,shared=2");
  const StepForecast with = forecast_step(t, nothing);
  EXPECT_NEAR(with.checkpoint.value, 1e-3, 1e-12);
  EXPECT_NEAR((with.time - without.time).value, 1e-3, 1e-12);
}

/// One of the ranks that hold the same writes it; of ZeRO's, each a share: 5 MB, two to a node. In the
/// background training stands still for the copy, and for what ten steps of 30 ms do not hide: 20 MB at 0.05
/// GB/s take 400 ms.
TEST(Checkpoint, StallsByHand) {
  Training t = equal_layers(10, "ddp", 4);
  t.ranks_per_node = 2;
  const auto stall = [&](const char* text) {
    return checkpoint_stall(parse_checkpoint(text), t, Seconds(30e-3)).value;
  };
  EXPECT_NEAR(stall("blocking:node=1"), 20e-3, 1e-12);
  EXPECT_NEAR(stall("blocking:node=1,copy=4"), 25e-3, 1e-12);
  EXPECT_NEAR(stall("background:every=10,shared=1,copy=4"), 5e-3, 1e-12);
  EXPECT_NEAR(stall("background:every=10,shared=0.05,copy=4"), 105e-3, 1e-12);
  t.framework = parse_framework("zero1");
  EXPECT_NEAR(stall("blocking:node=1"), 10e-3, 1e-12);
  EXPECT_NEAR(stall("blocking:shared=1"), 20e-3, 1e-12);
}

/// 20 MB in two stages; on a node, both write; of 8 ranks on nodes of 4, a node has one that writes, or with
/// heads shared out two.
TEST(Checkpoint, WritersOfTheFullestNode) {
  const auto bytes = [](const std::string& framework, Rank ranks, Rank node) {
    Training t = equal_layers(10, framework, ranks);
    t.ranks_per_node = node, t.batch = 8;
    return checkpoint_bytes(t).of_node.value;
  };
  EXPECT_NEAR(bytes("ddp:pp=2,micro-batches=4", 2, 2), 20e6, 1e-3);
  EXPECT_NEAR(bytes("ddp:pp=2,micro-batches=4", 4, 4), 20e6, 1e-3);
  EXPECT_NEAR(bytes("ddp:pp=2,micro-batches=4", 8, 4), 10e6, 1e-3);
  EXPECT_NEAR(bytes("gems:pp=2,replicas=2", 8, 4), 20e6, 1e-3);  // stages are neighbours
  EXPECT_NEAR(bytes("ddp:pp=5,micro-batches=4", 10, 4), 8e6,
              1e-3);  // stages of 4 MB: 0 and 1 of the first two
}

/// All ranks write an eighth of 20 MB, or those of the first replica a half.
TEST(Checkpoint, OneReplicaOfShardedParametersWrites) {
  Training t = equal_layers(10, "fsdp", 8);
  t.ranks_per_node = 4;
  EXPECT_NEAR(checkpoint_bytes(t).of_node.value, 10e6, 1e-3);
  t.framework = parse_framework("fsdp:shard=2");
  EXPECT_NEAR(checkpoint_bytes(t).of_rank.value, 10e6, 1e-3);
  EXPECT_NEAR(checkpoint_bytes(t).of_node.value, 20e6, 1e-3);
}

/// 12 bytes a parameter with Adam. Of 4 ranks of a node two have all experts: each writes its half of these,
/// and the 472 parameters that all have; together no more than the whole.
TEST(Checkpoint, RanksWithOtherExpertsWriteToo) {
  Training t = experts("ddp:ep=2", 4);
  t.ranks_per_node = 4;
  const CheckpointBytes bytes = checkpoint_bytes(t);
  EXPECT_DOUBLE_EQ(bytes.whole.value, 12 * (472 + 2 * 768));
  EXPECT_DOUBLE_EQ(bytes.of_rank.value, 12 * (472 + 768));
  EXPECT_DOUBLE_EQ(bytes.of_node.value, bytes.whole.value);
}

/// Ranks that share out an image hold the same parameters: of the two ranks of a node one writes its stage.
TEST(Checkpoint, RanksThatShareImagesWriteOnce) {
  Training t = equal_layers(1, "ddp:sp=2,pp=2,micro-batches=1", 4);
  t.model = load_model("vgg16:image=96");
  t.ranks_per_node = 2;
  const CheckpointBytes bytes = checkpoint_bytes(t);
  EXPECT_LT(bytes.of_rank, bytes.whole);
  EXPECT_DOUBLE_EQ(bytes.of_node.value, bytes.of_rank.value);
}

TEST(Checkpoint, BadOnesSayWhat) {
  EXPECT_EQ(complaint([] { parse_checkpoint("tape:every=1"); }),
            "unknown checkpoint 'tape'; known: blocking, background");
  EXPECT_EQ(
      complaint([] { parse_checkpoint("blocking:every=1"); }),
      "checkpoint blocking: shared or node has to say how fast it is written, in GB/s, or to=NAME where to");
  EXPECT_THAT(complaint([] { parse_checkpoint("blocking:shared=1,every=0"); }),
              ::testing::HasSubstr("every"));
}

/// At the start 20 MB go to everybody, at 1 GB/s.
TEST(Checkpoint, StartReachesEverybody) {
  EXPECT_NEAR(start_broadcast(equal_layers(10, "ddp", 4), bandwidth(1)).value, 20e-3, 1e-12);
  EXPECT_EQ(start_broadcast(equal_layers(10, "ddp", 1), bandwidth(1)), Seconds());
  const Training adam = experts("ddp", 4);
  EXPECT_NEAR(start_broadcast(adam, bandwidth(1)).value, 12 * adam.model.parameters() / 1e9, 1e-15);
  // Of sharded optimizers the parameters, of shards of parameters those that others hold, too.
  for (const auto& [framework, time] : {std::pair{"zero1", 10e-3}, {"zero2", 10e-3}, {"fsdp:shard=2", 10e-3}})
    EXPECT_NEAR(start_broadcast(equal_layers(10, framework, 4), bandwidth(1)).value, time, 1e-12)
        << framework;
  for (const char* framework : {"zero3", "fsdp"})
    EXPECT_EQ(start_broadcast(equal_layers(10, framework, 4), bandwidth(1)), Seconds()) << framework;
}

/// Half as many steps for four times the batch: 1000 / sqrt(2) for twice.
TEST(Convergence, IsAPowerBetweenPoints) {
  const Convergence c = parse_convergence("batch,steps\n100,1000\n400,500\n", "x.csv");
  EXPECT_NEAR(c.steps(200).value(), 1000 / std::sqrt(2.0), 1e-9);
  EXPECT_EQ(c.steps(100), 1000);
  EXPECT_EQ(c.steps(400), 500);
  EXPECT_FALSE(c.steps(99));
  EXPECT_FALSE(c.steps(401));
}

TEST(Convergence, BadTablesSayWhere) {
  const auto error = [](const std::string& text) {
    return complaint([&] { parse_convergence(text, "x.csv"); });
  };
  EXPECT_EQ(error("steps,batch\n"), "x.csv:1: the header is batch,steps");
  EXPECT_EQ(error("batch,steps\n"), "x.csv: needs a line BATCH,STEPS");
  EXPECT_EQ(error("batch,steps\n5\n"), "x.csv:2: a line is BATCH,STEPS, got '5'");
  EXPECT_EQ(error("batch,steps\n5,x\n"), "x.csv:2: steps 'x' is not a number");
  EXPECT_EQ(error("batch,steps\n5,0\n"), "x.csv:2: steps must be above 0, got 0");
  EXPECT_EQ(error("batch,steps\n5,1\n5,1\n"), "x.csv:3: batches ascend");
}

/// The slowest of 100 normal ranks: the 99.38th of 100.25 parts, 2.5 standard deviations; a hundredth each.
TEST(Noise, TheSlowestDecides) {
  Training t = equal_layers(10, "ddp", 100);
  t.noise = 0.01;
  const StepForecast step = forecast_step(t, nothing);
  EXPECT_NEAR(step.waiting / step.compute, 0.0250, 0.0001);
  EXPECT_NEAR(step.time.value, 1.025 * step.compute.value, 1e-4 * step.compute.value);
  t.ranks = 50, t.framework = parse_framework("ddp:per-gpu=2");  // as many processes
  const StepForecast shared = forecast_step(t, nothing);
  EXPECT_NEAR(shared.waiting / shared.compute, step.waiting / step.compute, 1e-12);
  t.ranks = 1, t.framework = parse_framework("ddp");
  EXPECT_EQ(forecast_step(t, nothing).waiting, Seconds());
}

/// Arithmetic of 10 layers of 3 ms fills the step; memory takes nothing on this processor.
TEST(Bottlenecks, ArithmeticFillsAStepThatOnlyComputes) {
  const StepForecast step = forecast_step(equal_layers(10, "ddp", 1), nothing);
  EXPECT_EQ(step.bottlenecks[0].name, "arithmetic");
  EXPECT_NEAR(step.bottlenecks[0].share, 1, 1e-9);
}

/// 10 layers read and write 750,000 elements forward and 1,000,000 backward: 3 + 4 ms at 1 GB/s, and 1 + 2 ms
/// of arithmetic. Of the optimizer's 20 bytes a parameter 50 ms. With two micro-batches layers count twice,
/// and a throughput that was measured stretches all alike.
TEST(Bottlenecks, MemoryMovesLayersAndOptimizer) {
  const auto shares = [](const std::string& framework, int batch, std::optional<double> throughput) {
    Training t = equal_layers(10, framework, 1);
    for (Layer& l : t.model.layers) l.in = l.out = 250'000;
    t.processor.bandwidth = BytesPerSecond(1e9);
    t.batch = batch, t.throughput = throughput;
    std::map<std::string, double> all;
    for (const LimitShare& l : forecast_step(t, nothing).bottlenecks) all[l.name] = l.share;
    return all;
  };
  for (const std::optional<double> throughput : {std::optional<double>(), std::optional(1.0)}) {
    EXPECT_NEAR(shares("ddp", 1, throughput)["memory bandwidth"], 1, 1e-9);
    EXPECT_NEAR(shares("ddp", 1, throughput)["arithmetic"], 30 / 120.0, 1e-9);
    EXPECT_NEAR(shares("ddp:micro-batches=2", 2, throughput)["arithmetic"], 60 / 190.0, 1e-9);
    EXPECT_NEAR(shares("ddp:micro-batches=2", 2, throughput)["memory bandwidth"], 1, 1e-9);
  }
}

/// A rank's arithmetic is that of its layers, whoever does the optimizer; repeated blocks count once more.
TEST(Bottlenecks, ArithmeticIsThatOfTheLayers) {
  const auto arithmetic = [](const std::string& framework, Rank ranks) {
    Training t = equal_layers(10, framework, ranks);
    t.processor.bandwidth = BytesPerSecond(1e9);
    return limits(t).arithmetic.value;
  };
  EXPECT_NEAR(arithmetic("ddp", 4), 30e-3, 1e-12);
  EXPECT_NEAR(arithmetic("fsdp", 4), 30e-3, 1e-12);
  EXPECT_NEAR(arithmetic("ddp:recompute=1", 4), 40e-3, 1e-12);
  EXPECT_NEAR(arithmetic("one:pp=2,micro-batches=1", 2), 15e-3, 1e-12);
}

/// Four processes of 30 ms of arithmetic and as much of launches take turns on their GPU, and fill it.
TEST(Bottlenecks, ProcessesThatTakeTurnsFillTheirGpu) {
  Training t = equal_layers(10, "ddp:view=1,per-gpu=4", 1);
  t.processor.efficiency.launch = Seconds(1e-3);
  const StepForecast step = forecast_step(t, nothing);
  EXPECT_EQ(step.bottlenecks[0].name, "arithmetic");
  EXPECT_NEAR(step.bottlenecks[0].share, 1, 1e-9);
}

/// 3 Mflop a layer on ten of them in 30 ms.
TEST(Rows, OfAStepCountArithmeticBothWays) {
  const Training t = equal_layers(10, "ddp", 1);
  EXPECT_NEAR(train_row(t, forecast_step(t, nothing), nothing)["flops_per_s"].get<double>(), 1e9, 1);
}

/// Of a coordinator's rounds four phases are played: what they take counts once, as often as in one step.
TEST(Explanation, CountsAStepOnceWhateverThePhases) {
  const StepForecast step = forecast_step(equal_layers(10, "horovod:cycle=7ms", 4), bandwidth(1));
  const auto forward = std::ranges::find(step.activities, "forward", &ActivitySummary::name);
  ASSERT_NE(forward, step.activities.end());
  EXPECT_EQ(forward->count, 1);
  EXPECT_NEAR(forward->total.value, 10e-3, 1e-9);
}

std::map<std::string, double> exposed(const StepForecast& step, const std::string& role) {
  std::map<std::string, double> all;
  for (const ActivitySummary& a : step.activities)
    if (a.role == role) all[a.name] += a.exposed.value;
  return all;
}

/// Every moment of a role belongs to one part, whatever the framework, with waits beside the job and without.
TEST(Explanation, OfAStepAddsUpToIt) {
  const auto stalled = [](Training t) {
    t.noise = 0.01, t.input = parse_input("packed:sample=10MB,shared=1");
    t.checkpoint = parse_checkpoint("blocking:every=10,shared=2");
    return t;
  };
  for (const char* framework :
       {"ddp", "horovod", "horovod:cycle=7ms,hierarchical=1", "zero1", "fsdp", "parameter-server",
        "gems:pp=2", "megatron:pp=2,micro-batches=4", "one:pp=4,micro-batches=4,schedule=gpipe,recompute=1"})
    for (const bool stalls : {false, true}) {
      Training t = equal_layers(8, framework, 8);
      t.batch = 4, t.ranks_per_node = 4;
      t.slowdown = stalls ? 0.2 : 0;
      const StepForecast step = forecast_step(stalls ? stalled(t) : t, bandwidth(1));
      std::map<std::string, Seconds> sums;
      for (const ActivitySummary& a : step.activities) sums[a.role] += a.exposed;
      EXPECT_EQ(sums.size(), static_cast<std::size_t>(t.framework.pipeline)) << framework;
      for (const auto& [role, sum] : sums) EXPECT_NEAR(sum / step.time, 1, 1e-9) << framework << ", " << role;
    }
}

/// 10 ms forward, 20 ms backward, then an allreduce of 10 MB at 1 GB/s; updates take no time here.
TEST(Explanation, NamesThePartsOfAStep) {
  const std::map<std::string, double> expected = {
      {"forward", 10e-3}, {"backward", 20e-3}, {"data allreduce", 10e-3}};
  const auto parts = exposed(forecast_step(equal_layers(10, "one", 4), bandwidth(1)), "rank");
  EXPECT_THAT(parts, ::testing::Pointwise(::testing::Truly([](const auto& pair) {
                                            const auto& [is, should] = pair;
                                            return is.first == should.first &&
                                                   std::abs(is.second - should.second) < 1e-9;
                                          }),
                                          expected));
}

/// A pipeline of 2 stages and 4 micro-batches of 4 + 4 layers: each stage waits for one micro-batch, forward
/// and backward, of the other.
TEST(Explanation, BubblesAreWaiting) {
  Training t = equal_layers(8, "megatron:pp=2,micro-batches=4", 2);
  t.batch = 4;
  const StepForecast step = forecast_step(t, nothing);
  for (const char* stage : {"stage 0", "stage 1"}) {
    auto parts = exposed(step, stage);
    EXPECT_NEAR(parts["forward"], 16e-3, 1e-9);
    EXPECT_NEAR(parts["backward"], 32e-3, 1e-9);
    EXPECT_NEAR(parts["waiting for others"], 12e-3, 1e-9);
  }
}

/// Rank 0 takes 10 ms for each of 40 requests, and the gradients next to nothing.
TEST(Coordinators, AreNamedWhereTheyLimit) {
  const Training t = equal_layers(10, "horovod:cache=0,request=10ms", 4);
  EXPECT_EQ(forecast_step(t, bandwidth(1000)).limited_by, "communication: the coordinator's rounds");
}

/// Rounds, fused buffers and settling are what they were; nothing is left to be decided.
TEST(Coordinators, CanBePutDown) {
  for (const char* framework : {"horovod:cycle=3.5ms", "horovod:fusion=3MB,cycle=1ms", "horovod:cycle=0",
                                "horovod:version=0.15,cycle=5ms", "horovod:groups=3,cycle=2ms,hierarchical=1",
                                "horovod:cycle=3ms,pp=2,micro-batches=4"}) {
    Training t = equal_layers(10, framework, 8);
    t.batch = 4, t.ranks_per_node = 4;
    const PriceOf price = bandwidth(0.7);
    const Job job = training_job(t), plain = without_coordinator(job, price);
    EXPECT_TRUE(job.coordinator && !plain.coordinator) << framework;
    const Played decided = play(job, price), told = play(plain, price);
    EXPECT_NEAR(told.time / decided.time, 1, 1e-12) << framework;
    EXPECT_NEAR(told.communication / decided.communication, 1, 1e-12) << framework;
  }
  const Job without = training_job(equal_layers(10, "ddp", 8));
  EXPECT_EQ(play(without_coordinator(without, nothing), nothing).time, play(without, nothing).time);
}

/// The slowest rank's computation is longer where computation is.
TEST(Training, WaitingForTheSlowestHasAnInterval) {
  Training t = equal_layers(4, "ddp", 2);
  t.ranks = 2, t.throughput = std::nullopt, t.processor.efficiency.uncertainty = 0.25;
  const StepForecast quiet = forecast_step(t, bandwidth(1e9));
  t.noise = 0.1;
  const StepForecast noisy = forecast_step(t, bandwidth(1e9));
  EXPECT_GT(noisy.waiting, Seconds());
  EXPECT_GT(noisy.high - quiet.high, 1.1 * noisy.waiting);
  EXPECT_LT(noisy.low - quiet.low, 0.95 * noisy.waiting);
}

/// With one replica GEMS only shares layers out: its default is one micro-batch, as of each further replica.
TEST(Training, GemsHasAsManyMicroBatchesAsReplicas) {
  for (const int replicas : {1, 2, 4})
    EXPECT_EQ(parse_framework("gems:pp=2,replicas=" + std::to_string(replicas)).micro_batches, replicas);
}

/// ResNet-50 with these settings.
TrainingText asked(const std::vector<std::pair<std::string TrainingText::*, std::string>>& settings) {
  TrainingText text;
  text.model = "resnet50";
  for (const auto& [field, value] : settings) text.*field = value;
  return text;
}

/// 10 MB at 1 GB/s behind 30 ms: the interval has that of the communication, and of the throughput what is
/// said.
TEST(Interval, OfAThroughputIsThatOfTheRest) {
  const PriceOf price = [](const GroupCall& call) {
    const Seconds t(call.bytes.value / 1e9);
    return Price{t, 0.5 * t, 2.0 * t, "bytes"};
  };
  Training t = equal_layers(10, "one", 4);
  t.throughput = 1 / 30e-3;
  const StepForecast exact = forecast_step(t, price);
  EXPECT_NEAR(exact.low.value, 35e-3, 1e-9);
  EXPECT_NEAR(exact.time.value, 40e-3, 1e-9);
  EXPECT_NEAR(exact.high.value, 50e-3, 1e-9);
  t.throughput_error = 0.25;
  const StepForecast off = forecast_step(t, price);
  EXPECT_NEAR(off.low.value, 30e-3 / 1.25 + 5e-3, 1e-9);
  EXPECT_NEAR(off.high.value, 30e-3 / 0.75 + 20e-3, 1e-9);
}

/// One rank of 10 % is 1.645 standard deviations faster or slower in 5 % of its steps each; of four, the
/// slowest is 1.049 behind in the mean, and -0.068 and 2.234 at these ends.
TEST(Interval, HasThatOfTheNoise) {
  Training t = equal_layers(10, "ddp", 1);
  t.throughput = 1 / 30e-3, t.noise = 0.1;
  const StepForecast one = forecast_step(t, nothing);
  EXPECT_NEAR(one.time.value, 30e-3, 1e-9);
  EXPECT_NEAR(one.low.value, 30e-3 * (1 - 0.16449), 1e-6);
  EXPECT_NEAR(one.high.value, 30e-3 * (1 + 0.16449), 1e-6);
  t.ranks = 4;
  const StepForecast four = forecast_step(t, nothing);
  EXPECT_NEAR(four.time.value, 30e-3 * 1.1049, 1e-6);
  EXPECT_NEAR(four.low.value, 30e-3 * (1 - 0.0068), 1e-6);
  EXPECT_NEAR(four.high.value, 30e-3 * 1.2234, 1e-6);
}

TEST(Interval, OfAThroughputAsUsersSayIt) {
  const Description platform = load_platform("summit");
  const auto read = [&](const std::string& text) {
    const Training t = described(asked({{&TrainingText::throughput, text}}), platform);
    return std::pair{*t.throughput, t.throughput_error};
  };
  EXPECT_EQ(read("300"), (std::pair{300.0, 0.0}));
  EXPECT_EQ(read("300+-5%"), (std::pair{300.0, 0.05}));
  EXPECT_EQ(read("300+-3"), (std::pair{300.0, 0.01}));
  EXPECT_EQ(complaint([&] { read("300+-300"); }),
            "throughput may be off by less than itself, as in 300+-5 or 300+-2%, got '300+-300'");
  EXPECT_THAT(complaint([&] { read("300+-x"); }), ::testing::HasSubstr("what it may be off by"));
}

LayerTimes layer_times(const std::string& lines, bool samples = false) {
  return parse_layer_times(
      "layer,forward_ms,backward_ms" + std::string(samples ? ",samples" : "") + "\n" + lines, "t.csv");
}

/// Three layers of 1 + 2 ms: one of 5 + 7 ms instead, then all; and one that was measured with half the
/// batch.
TEST(MeasuredLayers, ReplaceTheRoofline) {
  Training t = equal_layers(3, "ddp", 1);
  t.layer_times = layer_times("l0,5,7\n");
  EXPECT_NEAR(forecast_step(t, nothing).time.value, 18e-3, 1e-9);
  EXPECT_EQ(without_times(t), 2u);
  EXPECT_EQ(train_row(t, forecast_step(t, nothing), nothing)["computation"], "layer times");
  t.layer_times = layer_times("l0,5,7\r\nl2,1,1\n\nl1,0,0\n");
  const StepForecast all = forecast_step(t, nothing);
  EXPECT_NEAR(all.time.value, 14e-3, 1e-9);
  EXPECT_NEAR(all.efficiency, 1, 1e-9);
  EXPECT_TRUE(all.bound.calibrated);
  t.batch = 4;
  t.layer_times = layer_times("l0,5,7,2\n", true);
  EXPECT_NEAR(forecast_step(t, nothing).time.value, 2 * 12e-3 + 2 * 12e-3, 1e-9);
}

/// They have no uncertainty but that of the layers that were not measured: 10 % of 6 ms.
TEST(MeasuredLayers, AreCertain) {
  Training t = equal_layers(3, "ddp", 1);
  t.layer_times = layer_times("l0,5,7\n");
  const StepForecast step = forecast_step(t, nothing);
  EXPECT_NEAR(step.high.value, 18.6e-3, 1e-9);
  EXPECT_NEAR(step.low.value, 12e-3 + 6e-3 / 1.1, 1e-9);
}

/// Two of its layers are of a module that takes 6 + 12 ms; a stage of a pipeline has one of them.
TEST(MeasuredLayers, OfAModuleSpreadOverItsLayers) {
  Training t = equal_layers(1, "ddp", 1);
  t.model = parse_model(
      "name,kind,flops,backward_flops,in_elements,out_elements,kept_elements,parameters\n"
      "a.x,linear,1e6,2e6,1,1,1,1\na.y,linear,2e6,4e6,1,1,1,1\nab,linear,1e6,2e6,1,1,1,1\n",
      "modules", "m.csv");
  t.layer_times = layer_times("a,6,12\n");
  const Plan plan(t);
  EXPECT_NEAR(plan.times[0].forward.value, 2e-3, 1e-9);
  EXPECT_NEAR(plan.times[1].forward.value, 4e-3, 1e-9);
  EXPECT_NEAR(plan.times[1].backward.value, 8e-3, 1e-9);
  EXPECT_NEAR(plan.times[2].forward.value, 1e-3, 1e-9);
}

TEST(MeasuredLayers, WhatIsWrongIsSaidWithItsLine) {
  const auto table = [](const std::string& text) {
    return complaint([&] { parse_layer_times(text, "t.csv"); });
  };
  EXPECT_EQ(table("layer,forward_s\n"),
            "t.csv:1: the header is layer,forward_ms,backward_ms, and ,samples behind it if you like, got "
            "'layer,forward_s'");
  const std::string header = "layer,forward_ms,backward_ms\n";
  EXPECT_EQ(table(header), "t.csv: needs a line for each layer that was measured");
  EXPECT_EQ(table(header + "a,1\n"), "t.csv:2: 2 cells in a table of 3 columns");
  EXPECT_EQ(table(header + "a,1,1\nb,-1,1\n"), "t.csv:3: forward_ms must be from 0 to 1e12 ms, got -1");
  EXPECT_THAT(table(header + "a,1,x\n"), ::testing::StartsWith("t.csv:2: backward_ms"));
  const auto of = [](const std::string& lines) {
    Training t = equal_layers(3, "ddp", 1);
    t.layer_times = layer_times(lines);
    return complaint([&] { forecast_step(t, nothing); });
  };
  EXPECT_EQ(of("l0,1,1\nl0,1,1\n"), "t.csv:3: layer 'l0' has a time already");
  EXPECT_THAT(of("l0,1,1\nk,1,1\n"), ::testing::StartsWith("t.csv:3: equal has no layer 'k'"));
  const Description platform = load_platform("summit");
  EXPECT_THAT(
      complaint([&] {
        described(asked({{&TrainingText::throughput, "3"}, {&TrainingText::layer_times, "t.csv"}}), platform);
      }),
      ::testing::HasSubstr("t.csv"));
}

/// Servers' messages at `gigabytes` per second; the links are full.
PriceOf served_at(double gigabytes) {
  return [=](const GroupCall& call) {
    const Seconds t(call.served ? call.bytes.value / gigabytes / 1e9 : 0);
    Price p{t, t, t, "a server"};
    p.load = 1, p.between_nodes = true;
    return p;
  };
}

/// 10 layers of 1 + 2 ms and 1 MB, two nodes of one rank. Two servers, 1 GB/s: a layer's push takes 1 ms and
/// its pull as long, hidden but for those of the first layer: 30 + 2. One server gets two pushes in a row: 30
/// + 4. Without overlap three pieces of 3.33 MB follow, the last pull behind them: 30 + 10 + 3.33. Beside the
/// workers half of each piece stays at home, but pushes meet pulls.
TEST(Servers, PushAndPullDuringTheBackwardPass) {
  const auto step = [](const std::string& settings, Rank ranks = 2) {
    return 1e3 *
           forecast_step(equal_layers(10, "parameter-server:" + settings, ranks), served_at(1)).time.value;
  };
  EXPECT_NEAR(step("servers=2"), 32, 1e-6);
  EXPECT_NEAR(step("servers=4"), 32, 1e-6);
  EXPECT_NEAR(step("servers=1"), 34, 1e-6);
  EXPECT_NEAR(step("servers=2,overlap=none"), 30 + 10 + 10 / 3.0, 1e-6);
  EXPECT_NEAR(step("servers=2,overlap=none,partition=1MB"), 30 + 10 + 1, 1e-6);
  EXPECT_NEAR(step("servers=2,bucket=5MB"), 30 + 5 + 2.5, 1e-6);
  EXPECT_NEAR(step("servers=2,beside=1"), 31, 1e-6);
  EXPECT_NEAR(step("servers=2,overlap=none,beside=1"), 30 + 10, 1e-6);
  EXPECT_NEAR(step("servers=2", 1), 30, 1e-6);
}

/// At 0.25 GB/s a push takes 4 ms. In order, the first layer's is pulled at 2 + 40 + 4 ms, and the forward
/// pass of the next step follows: 56. Where that waits for each layer's own, of what is ready the earliest
/// layer goes first: 9, 7, 5, 3, 1, 0, 2, 4, 6, 8. The last of these is pulled at 46 ms, and two layers
/// compute behind it: 48.
TEST(Servers, TheNextForwardPassWaitsForItsOwn) {
  const auto played = [](const std::string& overlap) {
    const Training t = equal_layers(10, "parameter-server:servers=2,overlap=" + overlap, 2);
    return forecast_step(t, served_at(0.25));
  };
  EXPECT_NEAR(played("backward").time.value, 56e-3, 1e-9);
  EXPECT_NEAR(played("forward").time.value, 48e-3, 1e-9);
  for (const double rate : {0.1, 0.25, 0.4, 0.6, 1.0, 10.0}) {
    const Training t = equal_layers(10, "parameter-server:servers=2,overlap=forward", 2);
    PriceOf price = [of = served_at(rate)](const GroupCall& call) {
      Price p = of(call);
      p.bound = p.time;
      return p;
    };
    const StepForecast step = forecast_step(t, price);
    EXPECT_LE(step.bound.time.value, step.time.value * (1 + 1e-12)) << rate;
    EXPECT_GE(step.bound.time.value, 2e-3 + 0.01 / rate - 1e-9) << rate;
    EXPECT_GE(step.time.value, 30e-3 - 1e-12) << rate;
  }
}

/// Ranks of a node add up theirs and push a share each: as many bytes leave a node, and each piece is added
/// up and shared out there. Twice as many nodes push twice as many in a row to as many servers.
TEST(Servers, ANodePushesOnce) {
  const auto bytes = [](Rank ranks, const std::string& settings) {
    Training t = equal_layers(2, "parameter-server:" + settings, ranks);
    t.ranks_per_node = 4;
    std::map<Kind, double> sums;
    const Job job = training_job(t);
    for (const JobActivity& a : job.roles[0].activities) sums[a.kind] += a.bytes.value;
    return sums;
  };
  EXPECT_DOUBLE_EQ(bytes(8, "servers=2")[Kind::push], 2e6 / 4);
  EXPECT_DOUBLE_EQ(bytes(8, "servers=2")[Kind::pull], 2e6 / 4);
  EXPECT_DOUBLE_EQ(bytes(8, "servers=2")[Kind::collective], 4e6);  // added up, and shared out
  EXPECT_DOUBLE_EQ(bytes(16, "servers=2")[Kind::push], 2 * 2e6 / 4);
  EXPECT_DOUBLE_EQ(bytes(4, "servers=2")[Kind::push], 0);
  EXPECT_DOUBLE_EQ(bytes(16, "servers=4,beside=1,compression=fp16")[Kind::push], 0.75 * 1e6 / 4);
}

TEST(Servers, WhatIsWrongIsSaid) {
  const auto framework = [](const std::string& text) { return complaint([&] { parse_framework(text); }); };
  EXPECT_EQ(framework("parameter-server:overlap=forward"),
            "framework parameter-server: overlap needs servers=N");
  EXPECT_EQ(framework("parameter-server:servers=2,overlap=all"),
            "framework parameter-server: overlap takes none, backward or forward, got 'all'");
  EXPECT_EQ(framework("parameter-server:servers=0"),
            "framework parameter-server: servers takes a whole number from 1, got '0'");
  EXPECT_EQ(
      framework("parameter-server:servers=2,overlap=forward,micro-batches=2"),
      "framework parameter-server:servers=2,overlap=forward,micro-batches=2: overlap=forward goes with one "
      "micro-batch");
  const auto step = [](const std::string& text, Rank ranks) {
    Training t = equal_layers(4, text, ranks);
    t.ranks_per_node = 4;
    return complaint([&] { training_job(t); });
  };
  EXPECT_EQ(step("parameter-server:servers=3,beside=1", 8),
            "training: 3 servers beside the workers are more than one on each of their nodes");
  EXPECT_EQ(
      step("parameter-server:servers=3", 6),
      "training: what goes to servers is added up on each node first, which needs full nodes and no other "
      "parallelism: 6 ranks, 4 on a node");
}

Training on_summit(const std::string& input, const std::string& checkpoint = {}) {
  return described(asked({{&TrainingText::input, input}, {&TrainingText::checkpoint, checkpoint}}),
                   load_platform("summit"));
}

/// Alpine gives all nodes 2.5 TB/s, a node's drive 5.5 GB/s: what its user could have said.
TEST(PlatformStorage, IsReadByItsName) {
  for (const auto& [named, said] : {std::pair("packed:from=alpine", "packed:shared=2500"),
                                    {"packed:from=nvme", "packed:local=5.5"},
                                    {"files:from=alpine,opens=1e6", "files:shared=2500,opens=1e6"}}) {
    Training one = on_summit(named), other = on_summit(said);
    one.ranks = other.ranks = 96;
    const auto a = stages(*one.input, one), b = stages(*other.input, other);
    ASSERT_EQ(a.size(), b.size()) << named;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].time, b[i].time) << named;
  }
  Training t = on_summit("packed:from=alpine");
  t.ranks = 6;
  EXPECT_EQ(stages(*t.input, t)[0].name, "alpine");
  t = on_summit({}, "blocking:to=nvme");
  EXPECT_EQ(t.checkpoint->node, BytesPerSecond(2.1e9));
  EXPECT_EQ(on_summit({}, "blocking:to=alpine").checkpoint->shared, BytesPerSecond(2.5e12));
}

/// Six ranks read 6 x 32 x 100 MB: 7.7 ms at Alpine's 2.5 TB/s, but 773 ms through two ports of 12.42 GB/s.
/// With enough nodes Alpine is slower: it gives 101 of them all that they take. Drives are not behind ports.
TEST(PlatformStorage, IsReachedThroughTheAdaptersOfANode) {
  Training t = on_summit("packed:from=alpine,sample=100MB");
  t.ranks = 6;
  const StepForecast step = forecast_step(t, nothing);
  EXPECT_NEAR(step.time.value, 6 * 32 * 0.1 / (2 * 12.42), 1e-9);
  EXPECT_EQ(step.limited_by, "input: a node's network adapters");
  EXPECT_EQ(step.bound.cut, "input: a node's network adapters");
  EXPECT_NEAR(step.high / step.time, 12.42 / 11.85, 1e-9);
  EXPECT_NEAR(step.low / step.time, 12.42 / 12.99, 1e-9);
  for (const auto& [nodes, limit] :
       {std::pair(100, "input: a node's network adapters"), {101, "input: alpine"}}) {
    t.ranks = 6 * nodes;
    EXPECT_EQ(forecast_step(t, nothing).limited_by, limit) << nodes;
  }
  t = on_summit("packed:from=nvme,sample=100MB");
  t.ranks = 6;
  EXPECT_EQ(forecast_step(t, nothing).limited_by, "input: nvme");
  EXPECT_EQ(stages(*t.input, t).size(), 1u);
  t = on_summit("packed:shared=2500,sample=100MB");  // said by its user: outside of the nodes, too
  t.ranks = 6;
  EXPECT_EQ(forecast_step(t, nothing).time, step.time);
}

/// 204.5 MB of one rank, 8 bytes per parameter: 82 us at 2.5 TB/s, 8.2 ms through two ports. Both nodes of
/// 12 ranks under ZeRO write a half.
TEST(PlatformStorage, IsWrittenThroughTheAdaptersOfANode) {
  Training t = on_summit({}, "blocking:to=alpine,every=1");
  t.ranks = 6;
  const double bytes = checkpoint_bytes(t).whole.value;
  const StepForecast step = forecast_step(t, nothing);
  EXPECT_NEAR(step.checkpoint.value, bytes / (2 * 12.42e9), 1e-9);
  EXPECT_GT(step.checkpoint.value, 8e-3);
  EXPECT_EQ(slowest_write(*t.checkpoint, t).name, "a node's network adapters");
  t.ranks = 12, t.framework = parse_framework("zero1");
  EXPECT_NEAR(checkpoint_stall(*t.checkpoint, t, {}).value, bytes / (4 * 12.42e9), 1e-9);
  t.checkpoint = on_summit({}, "blocking:to=nvme,every=1").checkpoint;
  EXPECT_EQ(slowest_write(*t.checkpoint, t).name, "nvme");
  t.model.layers.back().tensors = {1e12};  // a checkpoint that takes longer than the step
  t.framework = parse_framework("ddp"), t.processor.memory = {};
  EXPECT_EQ(forecast_step(t, nothing).limited_by, "checkpoints: nvme");
}

/// A datasheet's rate is known to a tenth or so: so is a step that waits for it, if nothing else takes as
/// long.
TEST(PlatformStorage, HasItsInterval) {
  Training t = on_summit("packed:from=alpine,sample=1GB");
  t.ranks = 6144;
  const StepForecast step = forecast_step(t, nothing);
  EXPECT_EQ(step.limited_by, "input: alpine");
  EXPECT_NEAR(step.high / step.time, 1 / t.input->least, 1e-9);
  EXPECT_NEAR(step.low / step.time, 1 / t.input->most, 1e-9);
  EXPECT_GT(step.high, 1.01 * step.time);
  t = on_summit("packed:shared=2500,sample=1GB");
  t.ranks = 6144;
  EXPECT_EQ(forecast_step(t, nothing).high, forecast_step(t, nothing).time);
  t = on_summit({}, "blocking:to=nvme,every=1");
  EXPECT_LT(t.checkpoint->least, 1);
}

/// 12 ranks on 2 nodes. 600 GB in parts: read at 2.5 TB/s in 0.24 s, or through two ports in 12.1 s; written
/// on each node, 300 GB at 2.1 GB/s: 142.9 s. A copy on each node: 285.7 s. To memory, as fast as it is read.
TEST(PlatformStorage, IsStagedBeforeTheFirstStep) {
  const auto takes = [](const std::string& settings) {
    Training t = on_summit("packed:from=alpine," + settings);
    t.ranks = 12;
    return staging(*t.input, t).value;
  };
  EXPECT_NEAR(takes("stage=nvme,dataset=600GB"), 300 / 2.1, 1e-6);
  EXPECT_NEAR(takes("stage=nvme,dataset=600GB,whole=1"), 600 / 2.1, 1e-6);
  EXPECT_NEAR(takes("stage=ram,dataset=600GB"), 300 / (2 * 12.42), 1e-9);
  EXPECT_NEAR(takes("stage=ram,dataset=200GB,whole=1"), 200 / (2 * 12.42), 1e-9);
  EXPECT_EQ(complaint([&] { takes("stage=nvme,dataset=2TB,whole=1"); }).substr(0, 7), "input: ");
  Training t = on_summit("packed:from=alpine,stage=nvme,dataset=600GB");
  t.ranks = 12;
  ASSERT_EQ(stages(*t.input, t).size(), 1u);
  EXPECT_EQ(stages(*t.input, t)[0].name, "nvme");
  EXPECT_EQ(stages(*on_summit("packed:from=alpine,stage=ram,dataset=1GB").input, t).size(), 0u);
}

/// A file of 4 stripes is read at 4 x 0.5 GB/s, one at a time by each rank: 32 samples of 10 MB take 0.16 s;
/// metadata opens 1,000 files a second.
TEST(PlatformStorage, OfLustreHasStripesAndMetadata) {
  Description lustre = load_platform("summit");
  Json json = lustre.json();
  const auto number = [](double value) {
    return Json{{"value", value}, {"source", "test"}, {"stamp", "guess"}};
  };
  json["storage"]["scratch"] = {{"kind", "lustre"},           {"reach", "shared"},
                                {"read_GBps", number(100)},   {"write_GBps", number(80)},
                                {"target_GBps", number(0.5)}, {"opens_Hz", number(1000)}};
  const Description platform("mine", "mine.json", json);
  const auto with = [&](const std::string& input) {
    Training t = described(asked({{&TrainingText::batch, "32"}, {&TrainingText::input, input}}), platform);
    t.ranks = 6;
    return stages(*t.input, t);
  };
  const auto all = with("files:from=scratch,sample=10MB,stripes=4");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_NEAR(all[0].time.value, 6 * 32 * 10e6 / 100e9, 1e-9);
  EXPECT_NEAR(all[2].time.value, 32 * 10e6 / 2e9, 1e-9);
  EXPECT_EQ(all[2].name, "a file's stripes");
  EXPECT_NEAR(all[3].time.value, 6 * 32 / 1000.0, 1e-9);
  EXPECT_EQ(with("packed:from=scratch,sample=10MB").size(), 3u);
  EXPECT_EQ(with("files:from=scratch,sample=10MB,opens=500")[3].time, 2 * all[3].time);
}

TEST(PlatformStorage, WhatIsWrongIsSaid) {
  const auto input = [](const std::string& text) { return complaint([&] { on_summit(text); }); };
  EXPECT_EQ(input("packed:from=scratch"), "input: summit has no storage 'scratch'; it has alpine, nvme, ram");
  EXPECT_EQ(input("packed:from=alpine,stage=alpine,dataset=1GB"),
            "input: stage takes what each node has, not alpine, which all nodes share");
  EXPECT_EQ(input("packed:from=alpine,stage=nvme"),
            "input packed: stage needs from=NAME, where samples are first, and dataset=SIZE");
  EXPECT_EQ(input("packed:from=alpine,shared=3"),
            "input packed: from needs no shared or local: it says how fast it is");
  EXPECT_EQ(input("packed:from=alpine,stripes=4"),
            "input: stripes needs target: the platform does not say what one of alpine reads");
  const auto checkpoint = [](const std::string& text) { return complaint([&] { on_summit({}, text); }); };
  EXPECT_EQ(checkpoint("blocking:to=tape"),
            "checkpoint: summit has no storage 'tape'; it has alpine, nvme, ram");
  EXPECT_EQ(checkpoint("blocking:to=nvme,shared=3"),
            "checkpoint blocking: to=nvme says how fast it is written; leave out shared");
  EXPECT_EQ(complaint([] {
              described(asked({{&TrainingText::input, "packed:from=x"}}), load_platform("dgx-a100"));
            }),
            "input: dgx-a100 has no storage 'x'; it has nvme, ram");
}

}  // namespace
}  // namespace collcast::workloads
