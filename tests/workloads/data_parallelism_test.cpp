// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "platforms/description/load.hpp"
#include "tests/complaint.hpp"
#include "tests/workloads/trainings.hpp"
#include "workloads/job/player.hpp"
#include "workloads/training/plan.hpp"
#include "workloads/training/reducer.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;
using Kind = JobActivity::Kind;

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

/// Four layers of 1 ms forward and 2 backward; each layer's megabyte takes 1 ms. The distributed optimizer
/// gathers during the forward pass, a bucket ahead of the layer that waits for it: 1 + 4 + 8 + 1 of the last
/// scatter. Without overlap 4 gathers follow the optimizer: 12 + 4 + 4.
TEST(Training, DistributedOptimizersGatherAhead) {
  const std::string distributed = "megatron:bucket=1e6,distributed=1";
  const auto milliseconds = [](const std::string& framework) {
    return 1e3 * play(training_job(equal_layers(4, framework, 4)), bandwidth(1)).time.value;
  };
  EXPECT_NEAR(milliseconds(distributed + ",overlap=1"), 14, 1e-6);
  EXPECT_NEAR(milliseconds(distributed), 20, 1e-6);
  Training t = equal_layers(4, distributed + ",overlap=1,pp=2,micro-batches=2", 4);
  t.batch = 2;
  for (const Role& role : training_job(t).roles)  // a stage gathers its own layers, once
    EXPECT_EQ(std::ranges::count(role.activities, "gather parameters", &JobActivity::name), 2);
  EXPECT_DOUBLE_EQ(memory_need(equal_layers(4, distributed, 4)).optimizer.value, 4 * 250'000 * 4 / 4.0);
}

/// A rank's own experts' parameters are gathered by those who have the same: 768 of 2 ranks, 472 of all 4.
TEST(Training, ExpertsParametersAreGatheredAheadApart) {
  std::map<int, double> elements;
  const Job job = training_job(experts("megatron:ep=2,distributed=1,overlap=1", 4));
  for (const JobActivity& a : job.roles[0].activities)
    if (a.name == "gather parameters") elements[a.group] += a.bytes.value / 4;
  EXPECT_EQ(elements, (std::map<int, double>{{data_group, 472}, {cross_group, 768}}));
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

}  // namespace
}  // namespace collcast::workloads
