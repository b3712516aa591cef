// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/workloads/trainings.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/playing/training_text.hpp"
#include "workloads/training/layer_times.hpp"
#include "workloads/training/plan.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;

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
  Description many = load_platform("dgx-a100");
  collcast::set(many, "devices.EPYC-7742.cores=1e15");  // no int counts them
  EXPECT_GT(cores_per_node(many), 0);
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
  EXPECT_NEAR(eight.communication / sixteen.communication, 1, 1e-12);
  EXPECT_EQ(eight.memory.sum(), sixteen.memory.sum());
  EXPECT_EQ(complaint([] { processor(load_platform("dgx-a100"), Precision::fp8); }),
            "A100-SXM4-80GB has no fp8_TFLOPS; take amp");
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

}  // namespace
}  // namespace collcast::workloads
