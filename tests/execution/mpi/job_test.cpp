// SPDX-License-Identifier: Apache-2.0
// Described jobs for real: every activity once, in its order, with the right data.
#include <gtest/gtest.h>

#include <set>

#include "execution/job/player.hpp"
#include "tests/complaint.hpp"
#include "tests/execution/mpi/world.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"

namespace collcast::mpi {
namespace {

using collcast::testing::complaint;
using workloads::Job;

/// Two replicas of two stages: activations one way, gradients the other, a reduction among replicas and one
/// among all.
const std::string two_stages = R"({
  "name": "two stages", "dimensions": {"data": 2, "stage": 2}, "roles_along": "stage",
  "streams": ["compute", "in", "out"],
  "roles": [
    {"name": "a", "do": [
      {"repeat": 2, "do": [
        {"do": "compute", "name": "f", "time_s": 0.004},
        {"do": "send", "to": "b", "bytes": 70001, "name": "activation", "stream": "out", "after": ["f"]}]},
      {"repeat": 2, "do": [
        {"do": "receive", "from": "b", "bytes": 300, "tag": 7, "name": "gradient", "stream": "in"},
        {"do": "compute", "name": "g", "time_s": 0.002, "after": ["gradient"]}]},
      {"do": "allreduce", "algorithm": "ring", "group": "data", "bytes": 4000, "stream": "out", "after": ["g"]},
      {"do": "broadcast", "algorithm": "chain", "bytes": 200001, "stream": "compute", "after": ["allreduce"]}]},
    {"name": "b", "do": [
      {"repeat": 2, "do": [
        {"do": "receive", "from": "a", "bytes": 70001, "name": "activation", "stream": "in"},
        {"do": "compute", "name": "f", "time_s": 0.002, "after": ["activation"]},
        {"do": "send", "to": "a", "bytes": 300, "tag": 7, "name": "gradient", "stream": "out", "after": ["f"]}]},
      {"do": "allreduce", "algorithm": "ring", "group": "data", "bytes": 4000, "stream": "out", "after": ["f"]},
      {"do": "broadcast", "algorithm": "chain", "bytes": 200001, "stream": "compute", "after": ["allreduce"]}]}
  ]})";

Job job_of(const std::string& text) {
  return workloads::parse_job(text, "job.json", 4);
}

class RealJob : public ::testing::Test {
 protected:
  void SetUp() override {
    if (world()->size() != 4) GTEST_SKIP() << "is for 4 ranks";
  }
};

/// Each activity comes behind what stands before it on its stream, and behind what it comes after.
void expect_order(const Job& job, const JobPlayer& player) {
  std::vector<double> over(job.streams.size());
  for (std::size_t i = 0; i < player.role().activities.size(); ++i) {
    const workloads::JobActivity& a = player.role().activities[i];
    const JobPlayer::Interval when = player.intervals()[i];
    double& stream = over[static_cast<std::size_t>(a.stream)];
    EXPECT_GE(when.start, stream) << a.name;
    for (const int before : a.after)
      EXPECT_GE(when.start, player.intervals()[static_cast<std::size_t>(before)].end) << a.name;
    EXPECT_GE(when.end, when.start + a.time.value) << a.name;
    stream = when.end;
  }
}

TEST_F(RealJob, IsPlayedInOrderAndRight) {
  const Job job = job_of(two_stages);
  require_playable(job);
  const Team team(*world(), 0);
  const SharedClock clock(*world());
  JobPlayer player(job, *world(), team, clock);
  EXPECT_EQ(player.role().name, world()->rank() < 2 ? "a" : "b");
  for (int play = 0; play < 3; ++play) {
    player.run();
    expect_order(job, player);
  }
  EXPECT_EQ(player.wrong(), "");
}

/// What the forecast plays is what a rank plays.
TEST_F(RealJob, IsTheForecastsJob) {
  const Job job = job_of(two_stages);
  const Team team(*world(), 0);
  const SharedClock clock(*world());
  JobPlayer player(job, *world(), team, clock);
  player.run();
  std::multiset<std::string> forecast, played;
  const auto free = [](const workloads::GroupCall&) { return workloads::Price{}; };
  for (const workloads::Span& s : workloads::play(job, free).spans)
    if (&job.roles[static_cast<std::size_t>(s.role)] == &player.role()) forecast.insert(s.name);
  for (std::size_t i = 0; i < player.intervals().size(); ++i)
    if (player.intervals()[i].end > 0) played.insert(player.role().activities[i].name);
  EXPECT_EQ(played, forecast);
}

/// Streams run side by side: the exchange begins before the computation beside it is over.
TEST_F(RealJob, StreamsOverlap) {
  const Job job = job_of(R"({"dimensions": {"row": 2, "column": "*"}, "roles": [{"do": [
    {"do": "alltoall", "algorithm": "pairwise", "group": "column", "bytes": 50000},
    {"do": "compute", "time_s": 0.02},
    {"do": "alltoall", "algorithm": "bruck", "group": "row", "bytes": 3000, "stream": "compute"}]}]})");
  const Team team(*world(), 0);
  const SharedClock clock(*world());
  JobPlayer player(job, *world(), team, clock);
  player.run();
  EXPECT_LT(player.intervals()[0].start, player.intervals()[1].end);
  expect_order(job, player);
  EXPECT_EQ(player.wrong(), "");
}

/// Two ranks on two streams, and a worker for each that plays what both streams call.
TEST_F(RealJob, WorkersPlayItsCollectives) {
  const Job job = workloads::parse_job(
      R"({"dimensions": {"row": 2}, "streams": ["compute", "a", "b"], "roles": [{"do": [
    {"repeat": 3, "do": [
      {"do": "alltoall", "algorithm": "pairwise", "bytes": 50000, "stream": "a"},
      {"do": "allreduce", "algorithm": "ring", "bytes": 30001, "stream": "b"},
      {"do": "compute", "time_s": 0.002, "after": ["allreduce"]}]}]}]})",
      "job.json", 2);
  const Team team(*world(), 2);
  const SharedClock clock(*world());
  JobPlayer player(job, *world(), team, clock);
  if (team.worker()) return player.serve();
  player.run();
  expect_order(job, player);
  EXPECT_EQ(player.wrong(), "");
  player.dismiss();
}

/// A computation, and an exchange beside it that `who` brings on.
std::string beside(const std::string& who) {
  return R"({"dimensions": {"row": "*"}, "roles": [{"do": [
    {"do": "allreduce", "algorithm": "ring", "bytes": 30000, )" +
         who + R"(},
    {"do": "compute", "time_s": 0.01}]}]})";
}

/// What ranks bring on themselves is over only after they have computed.
TEST_F(RealJob, TheHostBringsOnWhenItHasComputed) {
  const Job job = job_of(beside(R"("progress": "host")"));
  const Team team(*world(), 0);
  const SharedClock clock(*world());
  JobPlayer player(job, *world(), team, clock);
  player.run();
  EXPECT_LT(player.intervals()[0].start, player.intervals()[1].end);
  EXPECT_GE(player.intervals()[0].end, player.intervals()[1].end);
  EXPECT_EQ(player.wrong(), "");
}

TEST_F(RealJob, WhatIsOffloadedTakesWorkers) {
  const std::string offloaded = beside(R"("offload": "dpu")");
  const SharedClock clock(*world());
  {
    const Job job = job_of(offloaded);
    const Team team(*world(), 0);
    EXPECT_EQ(complaint([&] { JobPlayer(job, *world(), team, clock); }),
              "job job.json: 'allreduce' of 0 is offloaded, which takes workers: --workers");
  }
  const Job job = workloads::parse_job(offloaded, "job.json", 2);
  const Team team(*world(), 2);
  JobPlayer player(job, *world(), team, clock);
  if (team.worker()) return player.serve();
  player.run();
  EXPECT_EQ(player.wrong(), "");
  player.dismiss();
}

/// Half of what the receiver takes was never sent.
TEST_F(RealJob, FindsAMessageThatIsWrong) {
  std::string text = two_stages;
  text.replace(text.find("70001"), 5, "35000");
  const Job job = job_of(text);
  const Team team(*world(), 0);
  const SharedClock clock(*world());
  EXPECT_EQ(JobPlayer(job, *world(), team, clock).wrong(),
            "message 0 from rank 0 to rank 2 is wrong at byte 35000");
}

TEST_F(RealJob, RefusesWhatItCannotPlay) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = two_stages;
    return complaint([&] { require_playable(job_of(text.replace(text.find(from), from.size(), to))); });
  };
  EXPECT_EQ(with(R"("algorithm": "ring", )", ""),
            "job two stages: 'allreduce' of a names no \"algorithm\", which playing it on MPI takes");
  EXPECT_EQ(with("200001", "200000"),
            "job two stages: a and b differ in the collectives of 'all', which they call together");
  EXPECT_EQ(with("200001", "3e9"),
            "job two stages: 'broadcast' of a has more bytes than fit into an MPI count");
  EXPECT_EQ(with(R"("roles_along")", R"("slowdown": 0.2, "roles_along")"),
            "job two stages: 'slowdown' is not played on MPI, where computation is a timer");
  EXPECT_EQ(with(R"("to": "b", "bytes": 70001)", R"("to": "b", "tag": 3, "bytes": 70001)").substr(0, 45),
            "job two stages: 'g' of a waits for ever: its ");
}

}  // namespace
}  // namespace collcast::mpi
