// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workloads/trainings.hpp"
#include "workloads/job/player.hpp"
#include "workloads/training/plan.hpp"

namespace collcast::workloads {
namespace {

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

/// Two parts of 250,000 parameters, the activations of one sample of one part.
TEST(Training, MirroredReplicasTakeTwiceTheParameters) {
  Training t = equal_layers(4, "gems:pp=4,replicas=6", 4);
  t.batch = 6;
  const MemoryNeed need = memory_need(t);
  EXPECT_EQ(need.parameters, Bytes(2e6));
  EXPECT_EQ(need.activations, Bytes(4));
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
  EXPECT_DOUBLE_EQ(other(10, "ddp:per-gpu=2", 1), 2 * 10e6 + 1073741824);  // a GiB for each process
}

/// Ranks that share a sequence add up gradients, and share out parameters, as replicas do.
TEST(Training, RanksOfASequenceNeedWhatReplicasNeed) {
  for (const char* framework : {"ddp:cp=2", "zero1:cp=2", "fsdp:cp=2"}) {
    const auto other = [&](Rank ranks) {
      Training t = equal_layers(1, framework, ranks);
      t.model = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4,vocabulary=10,flash=1");
      return memory_need(t).other;
    };
    EXPECT_GT(other(2), Bytes(1073741824)) << framework;
    EXPECT_EQ(other(2), other(4)) << framework;
  }
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

}  // namespace
}  // namespace collcast::workloads
