// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/workloads/trainings.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/playing/training_text.hpp"
#include "workloads/training/convergence.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;

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

}  // namespace
}  // namespace collcast::workloads
