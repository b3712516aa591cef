// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/bound.hpp"

#include <gtest/gtest.h>

#include <random>

#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;

/// 2 s for each byte, of which one is a bound; links are as busy as the bound.
Price two_seconds_a_byte(const GroupCall& call) {
  const Seconds t(call.control ? 0 : 2 * call.bytes.value);
  Price p{t, t, t, "bytes"};
  p.bound = 0.5 * t, p.cut = "a link", p.load = 0.5;
  return p;
}

/// Draws jobs that no activity of which waits for ever: what meets comes in one order on all ranks.
class Draws {
 public:
  explicit Draws(unsigned seed) : random_(seed) {}

  int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
  double share() { return below(1001) / 1000.0; }

  Job job() {
    Job job;
    job.name = "drawn";
    const int stages = 1 + below(3), streams = 1 + below(3);
    job.dimensions = {{"data", 2 + below(3)}, {"stage", stages}};
    job.groups = {{"data", {0}}, {"all", {0, 1}}};
    job.role_dimension = stages > 1 ? 1 : -1;
    job.streams.clear();
    for (int s = 0; s < streams; ++s) job.streams.push_back(std::to_string(s));
    for (int s = 0; s < stages; ++s) job.roles.push_back({std::to_string(s), {}});
    job.slowdown = below(2) * share();
    if (stages == 1 && streams > 1 && below(2) > 0) coordinate(job);
    if (stages == 1 && streams == 3 && !job.coordinator) job.servers = Servers{1, below(2) > 0, below(2) > 0};
    for (int n = 4 + below(12), i = 0; i < n; ++i) add(job, i);
    if (job.coordinator) append(job.roles[0], {.kind = Kind::settle, .name = "settle"});
    return job;
  }

  /// Any times, their bounds below them.
  PriceOf prices() {
    return cached([this](const GroupCall& call) {
      const Seconds t(call.control ? 0.1 * share() : call.bytes.value * share());
      Price p{t, t, t, "bytes"};
      p.bound = share() * t, p.load = share();
      if (call.collective == Collective::sendrecv && below(2) > 0) p.departure = {0.1 * t, 0.5 * t};
      return p;
    });
  }

 private:
  void append(Role& role, JobActivity a) {
    const int count = static_cast<int>(role.activities.size());
    if (count > 0 && below(2) > 0) a.after = {below(count)};
    role.activities.push_back(std::move(a));
  }
  void coordinate(Job& job) {
    job.coordinator = Coordinator{.cycle = Seconds(share()), .threshold = Bytes(1 + below(5))};
    job.coordinator->phase = share() * job.coordinator->cycle;
    job.coordinator->cache = below(2) * 100;
    job.coordinator->phases = {{Collective::allreduce, 0, 1}};
    job.coordinator->copy = SecondsPerByte(0.1 * share());
  }
  void add(Job& job, int i) {
    const int stages = static_cast<int>(job.roles.size()), streams = static_cast<int>(job.streams.size());
    JobActivity a{.name = std::to_string(i), .stream = below(streams), .bytes = Bytes(1 + below(4))};
    const int kind = below(4), one = below(stages);
    if (job.servers) {
      a.stream = kind > 1 ? kind - 1 : 0, a.tag = below(3);
      if (kind > 1) a.kind = kind == 2 ? Kind::push : Kind::pull;
      if (kind < 2) a.time = Seconds(share());
      return append(job.roles[0], a);
    }
    if (kind == 1 && job.coordinator) {
      a.kind = Kind::offer;
      return append(job.roles[0], a);
    }
    if (kind == 2 && !job.coordinator) {
      a.kind = Kind::collective, a.progress = below(2) > 0 ? Progress::host : Progress::always;
      if (a.group = below(2); a.group == 0) return append(job.roles[static_cast<std::size_t>(one)], a);
      a.stream = 0;  // whoever meets comes in one order
      for (Role& role : job.roles) append(role, a);
      return;
    }
    if (kind == 3 && stages > 1) {
      const int other = (one + 1) % stages;
      a.kind = Kind::send, a.peer = other, a.tag = i;
      append(job.roles[static_cast<std::size_t>(one)], a);
      a.kind = Kind::receive, a.peer = one;
      return append(job.roles[static_cast<std::size_t>(other)], a);
    }
    a.time = Seconds(share());
    append(job.roles[static_cast<std::size_t>(one)], a);
  }

  std::mt19937 random_;
};

/// 2 s of computation, then 3 s beside which a byte is reduced, and 2 s of another behind it: 5 s, or by the
/// bounds 4 s of bytes behind 2 s: 6.
TEST(JobBound, IsTheLongestChainAtTheBounds) {
  const Job job = parse_job(R"({"dimensions": {"data": 4}, "roles": [{"do": [
    {"do": "compute", "time_s": 2}, {"do": "allreduce", "bytes": 4, "after": ["compute"]},
    {"do": "compute", "time_s": 3}]}]})",
                            "b.json");
  EXPECT_DOUBLE_EQ(play(job, two_seconds_a_byte).time.value, 10);
  const JobBound bound = lower_bound(job, two_seconds_a_byte);
  EXPECT_DOUBLE_EQ(bound.time.value, 6);
  EXPECT_EQ(bound.cut, "computation");
  EXPECT_TRUE(bound.calibrated);
  EXPECT_FALSE(bound.transferred.has_value());
}

/// Prices that rest on guesses, or on sizes that no table had, make the job so.
TEST(JobBound, KnowsTheWeakestNumber) {
  Job job = parse_job(R"({"dimensions": {"data": 4}, "roles": [{"do": [{"do": "allreduce", "bytes": 4}]}]})",
                      "b.json");
  const auto priced = [](bool calibrated, std::optional<bool> transferred) -> PriceOf {
    return [=](const GroupCall& call) {
      Price p = two_seconds_a_byte(call);
      p.calibrated = calibrated, p.transferred = transferred;
      return p;
    };
  };
  EXPECT_FALSE(lower_bound(job, priced(false, {})).calibrated);
  EXPECT_EQ(lower_bound(job, priced(true, true)).transferred, true);
  EXPECT_EQ(lower_bound(job, priced(true, false)).transferred, false);
  EXPECT_EQ(lower_bound(job, priced(true, false)).cut, "communication: a link");
  job.guessed = true;
  EXPECT_FALSE(lower_bound(job, priced(true, {})).calibrated);
}

/// Nothing that is played is below its bound, and nothing computes less than its longest role does.
TEST(JobBound, IsNeverAboveTheTime) {
  int below = 0, coordinated = 0, served = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Draws draws(seed);
    const Job job = draws.job();
    const PriceOf price = draws.prices();
    const Seconds time = play(job, price).time, bound = lower_bound(job, price).time;
    EXPECT_LE(bound.value, time.value * (1 + 1e-12)) << seed << ", roles: " << job.roles.size();
    EXPECT_GE(bound.value, computation(job).value * (1 - 1e-12)) << seed;
    below += bound < time, coordinated += job.coordinator.has_value(), served += job.servers.has_value();
  }
  EXPECT_GT(below, 1000);
  EXPECT_GT(coordinated, 100);
  EXPECT_GT(served, 50);
}

}  // namespace
}  // namespace collcast::workloads
