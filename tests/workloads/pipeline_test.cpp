// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tests/complaint.hpp"
#include "tests/workloads/trainings.hpp"
#include "workloads/job/player.hpp"
#include "workloads/training/plan.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;
using Kind = JobActivity::Kind;

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

/// Stages hand on 4 words of 8 elements; with sequence parallelism each of two ranks its half. So they do
/// with scatter=1, and gather the halves in each pass.
TEST(Training, StagesHandOnWhatARankHas) {
  for (const auto& [sequence, bytes, gathers] :
       {std::tuple{"", 128.0, 0}, {",sequence=1", 64.0, 0}, {",scatter=1", 64.0, 1}}) {
    Training t = equal_layers(1, std::string("megatron:pp=2,tp=2,micro-batches=1") + sequence, 4);
    t.model = load_model("gpt:layers=2,hidden=8,heads=2,sequence=4,vocabulary=10");
    const Job job = training_job(t);
    const auto sent = std::ranges::find(job.roles[0].activities, Kind::send, &JobActivity::kind);
    EXPECT_DOUBLE_EQ(sent->bytes.value, bytes) << sequence;
    for (const Role& role : job.roles) {
      EXPECT_EQ(std::ranges::count(role.activities, "gather what came", &JobActivity::name), gathers);
      for (const JobActivity& a : role.activities) {
        if (a.name != "gather what came") continue;
        EXPECT_DOUBLE_EQ(a.bytes.value, 128);
      }
    }
  }
}

/// With one replica GEMS only shares layers out: its default is one micro-batch, as of each further replica.
TEST(Training, GemsHasAsManyMicroBatchesAsReplicas) {
  for (const int replicas : {1, 2, 4})
    EXPECT_EQ(parse_framework("gems:pp=2,replicas=" + std::to_string(replicas)).micro_batches, replicas);
}

}  // namespace
}  // namespace collcast::workloads
