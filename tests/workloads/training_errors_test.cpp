// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/complaint.hpp"
#include "tests/workloads/trainings.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;

TEST(Training, WhatDoesNotDivideOrGoTogetherIsSaid) {
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
  EXPECT_EQ(error(equal_layers(8, "ddp:pp=2,balance=3/4,micro-batches=1", 2)),
            "training: balance shares out 7, equal has 8 layers");
  t = equal_layers(8, "horovod:hierarchical=1", 6);
  t.ranks_per_node = 4;
  EXPECT_EQ(
      error(t),
      "training: a hierarchical allreduce needs full nodes and no other parallelism: 6 ranks, 4 on a node");
}

TEST(Training, UnknownModelsAndPrecisionsSayWhatIsKnown) {
  EXPECT_EQ(complaint([] { load_model("bert-base:sequence=10,masked=11"); }),
            "model bert-base: masked takes a whole number from 1 to 10, got '11'");
  EXPECT_EQ(complaint([] { parse_precision("fp4"); }),
            "unknown precision 'fp4'; known: fp32, tf32, amp (also fp16, bf16, mixed), fp8");
}

TEST(Framework, SettingsSayWhatTheyTake) {
  const auto framework = [](const std::string& text) { return complaint([&] { parse_framework(text); }); };
  EXPECT_EQ(framework("horovod:groups=2,grouped=1"),
            "framework horovod: grouped=1 is one group, not groups=2");
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
  EXPECT_EQ(framework("megatron:tp-overlap=backward"),
            "framework megatron:tp-overlap=backward: tp-overlap needs tensor parallelism (tp=2 and more)");
  EXPECT_EQ(framework("megatron:tp=2,tp-overlap=all"),
            "framework megatron:tp=2,tp-overlap=all: tp-overlap=all needs sequence=1");
  EXPECT_EQ(framework("megatron:tp=2,tp-overlap=1"),
            "framework megatron: tp-overlap takes none, backward or all, got '1'");
  for (const char* many : {"ddp:tp=65536,cp=65536", "megatron:tp=65536,pp=65536", "ddp:tp=1048577",
                           "megatron:tp=8,pp=4,interleave=1048576"})
    EXPECT_NE(framework(many).find("1048576"), std::string::npos) << framework(many);
  EXPECT_NE(framework("ddp:per-gpu=2147483647").find("64"), std::string::npos);
  for (const char* settings : {"tp=2", "pp=2", "tp=2,pp=2,sequence=1"}) {
    const std::string text = std::string("megatron:scatter=1,") + settings;
    EXPECT_EQ(framework(text), "framework " + text +
                                   ": scatter needs tensor parallelism and a pipeline (tp=2 and pp=2 and "
                                   "more), without sequence=1");
  }
  for (const char* whose : {"one", "megatron", "zero1", "ddl", "gems"})
    EXPECT_EQ(framework(std::string(whose) + ":bucket=0"),
              std::string("framework ") + whose + ": bucket takes 65536 bytes or more, got '0'");
  for (const char* setting : {"ddp:bucket=25", "ddp:first=1", "horovod:fusion=64"})
    EXPECT_THAT(framework(setting), ::testing::HasSubstr(" takes 0 or a size of 1 KiB or more, as in 25MiB"));
  EXPECT_EQ(framework("ddp:recompute=most"),
            "framework ddp: recompute takes 0, 1, selective or except-last, got 'most'");
  for (const char* wrong : {"3//4", "3/0", "a/4", "-3/4", "99999999999/1"})
    EXPECT_EQ(framework(std::string("ddp:pp=2,balance=") + wrong),
              std::string("framework ddp: balance takes blocks or layers of each part as in 34/37, got '") +
                  wrong + "'");
  EXPECT_EQ(framework("ddp:pp=2,balance=3/4/5"),
            "framework ddp: balance=3/4/5 is of 3 parts, pp x interleave of 2");
}

}  // namespace
}  // namespace collcast::workloads
