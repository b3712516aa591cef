// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/workloads/trainings.hpp"
#include "workloads/playing/training_text.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;

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
  EXPECT_EQ(complaint([] { parse_input("packed:shared=0"); }),
            "input packed: shared takes a number from 1e-9 to 1e18, got '0'");
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
