// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/job.hpp"

#include <gtest/gtest.h>

#include "tests/complaint.hpp"
#include "workloads/job/forecast.hpp"
#include "workloads/job/read.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;
using Kind = JobActivity::Kind;

/// A byte takes a second; the control plane nothing.
Price a_second_per_byte(const GroupCall& call) {
  const Seconds t(call.control ? 0 : call.bytes.value);
  return {t, 0.5 * t, 2.0 * t, "bytes"};
}

JobActivity compute(double seconds, std::vector<int> after = {}) {
  return {.kind = Kind::compute, .name = "compute", .time = Seconds(seconds), .after = std::move(after)};
}
JobActivity reduce(double bytes, std::vector<int> after = {}) {
  return {.kind = Kind::collective,
          .name = "reduce",
          .stream = 1,
          .bytes = Bytes(bytes),
          .after = std::move(after)};
}

Job of_one_role(std::vector<JobActivity> activities) {
  Job job;
  job.name = "test";
  job.dimensions = {{"data", 4}};
  job.groups = {{"data", {0}}};
  job.roles = {{"rank", std::move(activities)}};
  return job;
}

/// 2 s of computation, then 3 s more beneath which 2 s of communication run: 5 s, nothing exposed.
TEST(Job, CommunicationHidesBeneathComputation) {
  const Played p = play(of_one_role({compute(2), reduce(2, {0}), compute(3)}), a_second_per_byte);
  EXPECT_DOUBLE_EQ(p.time.value, 5);
  EXPECT_DOUBLE_EQ(p.compute.value, 5);
  EXPECT_DOUBLE_EQ(p.communication.value, 2);
}

/// Bounds of readers are far from that; a program's own jobs may have any times.
TEST(Job, TimesThatAddUpToNoNumberAreRefused) {
  EXPECT_EQ(complaint([] {
              play(of_one_role({compute(1e308), compute(1e308)}), a_second_per_byte);
            }),
            "job test: its times add up to more than a number can say");
}

/// b computes longest: it waits 2 s for a, receives for 1 s and computes for 3 s. What a sends is no
/// communication of its own, and the wait is none.
TEST(Job, WaitingForANeighbourIsNoCommunication) {
  const Job job = parse_job(R"({"dimensions": {"stage": 2}, "roles_along": "stage", "roles": [
    {"name": "a", "do": [{"do": "compute", "time_s": 2}, {"do": "send", "to": "b", "bytes": 1, "after": ["compute"]}]},
    {"name": "b", "do": [{"do": "receive", "from": "a", "bytes": 1},
                         {"do": "compute", "time_s": 3, "after": ["receive"]}]}]})",
                            "wait.json", 2);
  const JobForecast f = forecast_job(
      job, [](const Job& j, End end) { return play(j, a_second_per_byte, end); },
      [](const Job&) { return JobBound{}; });
  EXPECT_DOUBLE_EQ(f.time.value, 6);
  EXPECT_DOUBLE_EQ(f.compute.value, 3);
  EXPECT_DOUBLE_EQ(f.bubble.value, 2);
  EXPECT_DOUBLE_EQ(f.exposed.value, 1);
  EXPECT_DOUBLE_EQ(f.communication.value, 1);
  EXPECT_DOUBLE_EQ(f.hidden.value, 0);
  EXPECT_EQ(f.limited_by, "computation");
}

/// The one rule: what takes the longest part of the time.
TEST(Job, TheLongestPartLimits) {
  JobForecast f;
  f.compute = Seconds(3), f.exposed = Seconds(2), f.bubble = Seconds(1);
  EXPECT_EQ(limit(f, "node 0 NIC out"), "computation");
  f.exposed = Seconds(4);
  EXPECT_EQ(limit(f, "node 0 NIC out"), "communication: node 0 NIC out");
  EXPECT_EQ(limit(f, ""), "communication");
  f.bubble = Seconds(5);
  EXPECT_EQ(limit(f, "node 0 NIC out"), "waiting for others");
  EXPECT_EQ(limit(f, "", {{"checkpoints", Seconds(6)}, {"input: local disk", Seconds(7)}}),
            "input: local disk");
}

/// 4 s of communication beneath 3 s of computation: 2 + 4.
TEST(Job, WhatDoesNotHideIsExposed) {
  EXPECT_DOUBLE_EQ(play(of_one_role({compute(2), reduce(4, {0}), compute(3)}), a_second_per_byte).time.value,
                   6);
  EXPECT_DOUBLE_EQ(
      play(of_one_role({compute(2), reduce(4, {0}), compute(3)}), a_second_per_byte, End::high).time.value,
      10);
}

/// While 2 s of communication run, computation proceeds at half its pace: of 3 s one is done by then: 2 + 2
/// + 2.
TEST(Job, CollectivesSlowComputationDown) {
  Job job = of_one_role({compute(2), reduce(2, {0}), compute(3)});
  job.slowdown = 1;
  EXPECT_DOUBLE_EQ(play(job, a_second_per_byte).time.value, 6);
}

/// Two collectives at once, of 2 s and of 4 s. Where both need all of the same links they share them: the
/// first ends at 4 s, when 2 s of the second are left: 6. Where each needs half of them, or one those within
/// nodes and the other those between, nothing is shared.
TEST(Job, CollectivesAtOnceShareTheirLinks) {
  Job job = of_one_role({reduce(2), reduce(4)});
  job.streams.push_back("more");
  job.roles[0].activities[1].stream = 2;
  const auto time = [&](double load, bool apart) {
    return play(job,
                [=](const GroupCall& call) {
                  Price p = a_second_per_byte(call);
                  p.load = load, p.between_nodes = apart && call.bytes == Bytes(2);
                  return p;
                })
        .time.value;
  };
  EXPECT_DOUBLE_EQ(time(1, false), 6);
  EXPECT_DOUBLE_EQ(time(0.75, false), 5);  // 3 s and 1.5 times as slow, then 2 s left
  EXPECT_DOUBLE_EQ(time(0.5, false), 4);
  EXPECT_DOUBLE_EQ(time(1, true), 4);
}

/// Messages of 2 s from a to b, and back: what leaves a rank does not meet what comes in. Two the same way
/// take twice as long.
TEST(Job, MessagesShareADirection) {
  const auto message = [](Kind kind, int peer, int stream) {
    return JobActivity{
        .kind = kind, .name = "m", .stream = stream, .bytes = Bytes(2), .peer = peer, .tag = stream};
  };
  Job job = of_one_role({message(Kind::send, 1, 0), message(Kind::send, 1, 1)});
  job.dimensions = {{"stage", 2}};
  job.role_dimension = 0;
  job.roles.push_back({"other", {message(Kind::receive, 0, 0), message(Kind::receive, 0, 1)}});
  const auto time = [&] {
    return play(job,
                [](const GroupCall& call) {
                  Price p = a_second_per_byte(call);
                  p.load = 1;
                  return p;
                })
        .time.value;
  };
  EXPECT_DOUBLE_EQ(time(), 4);
  std::swap(job.roles[0].activities[1].kind, job.roles[1].activities[1].kind);
  EXPECT_DOUBLE_EQ(time(), 2);
}

JobActivity by_host(JobActivity a) {
  a.progress = Progress::host;
  return a;
}

/// Called at 2 s, the host's collective waits until nothing is computed, at 5 s: 5 + 2, whatever a collective
/// slows down.
TEST(Progress, OfTheHostIsMadeBetweenComputations) {
  Job job = of_one_role({compute(2), by_host(reduce(2, {0})), compute(3)});
  for (const double slowdown : {0.0, 1.0}) {
    job.slowdown = slowdown;
    const Played p = play(job, a_second_per_byte);
    EXPECT_DOUBLE_EQ(p.time.value, 7);
    EXPECT_DOUBLE_EQ(p.communication.value, 2);
  }
}

/// A second of it is done when the second computation begins, at 2 s, for 3 s: 1 + 1 + 3 + 1.
TEST(Progress, OfTheHostGoesOnWhereItStopped) {
  const Job job =
      of_one_role({compute(1),
                   by_host(reduce(2, {0})),
                   {.kind = Kind::collective, .name = "other", .stream = 2, .bytes = Bytes(1), .after = {0}},
                   compute(3, {2})});
  Job three = job;
  three.streams.push_back("more");
  EXPECT_DOUBLE_EQ(play(three, a_second_per_byte).time.value, 6);
}

/// Of nothing it is over at once: what comes after it need not wait for the computation.
TEST(Progress, OfTheHostNeedsNoneForNothing) {
  const Played p =
      play(of_one_role({compute(1), by_host(reduce(0, {0})), compute(3), reduce(2, {1})}), a_second_per_byte);
  EXPECT_DOUBLE_EQ(p.time.value, 4);
  EXPECT_DOUBLE_EQ(p.communication.value, 2);
}

/// A DPU's goes on beneath computation, at its own price: 2 + 4.
TEST(Progress, OfADpuHasItsOwnPrice) {
  JobActivity handed = reduce(2, {0});
  handed.progress = Progress::dpu;
  const auto twice_on_a_dpu = [](const GroupCall& call) {
    const Seconds t((call.offloaded ? 2 : 1) * call.bytes.value);
    return Price{t, t, t, ""};
  };
  EXPECT_DOUBLE_EQ(play(of_one_role({compute(2), handed, compute(3)}), twice_on_a_dpu).time.value, 6);
}

Job pipeline(std::vector<JobActivity> first, std::vector<JobActivity> second) {
  Job job = of_one_role({});
  job.dimensions = {{"data", 2}, {"pipeline", 2}};
  job.groups = {{"data", {0}}, {"all", {0, 1}}};
  job.role_dimension = 1;
  job.roles = {{"stage 0", std::move(first)}, {"stage 1", std::move(second)}};
  return job;
}
JobActivity message(Kind kind, double bytes, int peer, std::vector<int> after = {}) {
  return {.kind = kind,
          .name = "message",
          .stream = 1,
          .bytes = Bytes(bytes),
          .peer = peer,
          .after = std::move(after)};
}

/// Stage 1 has nothing to do until stage 0 computed for 2 s and its message took 1 s: 2 + 1 + 2.
TEST(Job, MessagesCarryDependencies) {
  const Job job =
      pipeline({compute(2), message(Kind::send, 1, 1, {0})}, {message(Kind::receive, 1, 0), compute(2, {0})});
  EXPECT_DOUBLE_EQ(play(job, a_second_per_byte).time.value, 5);
}

/// Messages take 3 s, of which the first holds their sender; each occupies the ways out and in for 2 s.
Price leaves_at_once(const GroupCall&) {
  return {Seconds(3), Seconds(3), Seconds(3), "bytes", Departure{Seconds(1), Seconds(2)}};
}

/// It has been there since 1 + 3 when the receiver looks at 10; where it waited for the receiver, 10 + 3.
TEST(Job, AMessageMayLeaveBeforeItsReceiverIsThere) {
  const Job job = pipeline({compute(1), message(Kind::send, 3, 1, {0})},
                           {compute(10), message(Kind::receive, 3, 0, {0})});
  EXPECT_DOUBLE_EQ(play(job, leaves_at_once).time.value, 10);
  EXPECT_DOUBLE_EQ(play(job, a_second_per_byte).time.value, 13);
}

/// The sender goes on at 1 and at 2; the second message leaves behind the first, from 2 on: 2 + 3.
TEST(Job, MessagesLeaveOneAfterTheOther) {
  const Job job = pipeline({message(Kind::send, 3, 1), message(Kind::send, 3, 1)},
                           {message(Kind::receive, 3, 0), message(Kind::receive, 3, 0)});
  const Played played = play(job, leaves_at_once);
  EXPECT_DOUBLE_EQ(played.time.value, 5);
  std::vector<double> ends;
  for (const Span& s : played.spans) ends.push_back(s.end.value);
  EXPECT_EQ(ends, (std::vector<double>{1, 2, 3, 5}));
}

/// Two messages begin to come in at once: the second is in 2 s after the first.
TEST(Job, MessagesComeInOneAfterTheOther) {
  Job job = pipeline({message(Kind::send, 3, 2)}, {message(Kind::send, 3, 2)});
  job.dimensions.back().size = 3;
  job.roles.push_back({"stage 2", {message(Kind::receive, 3, 0), message(Kind::receive, 3, 1)}});
  EXPECT_DOUBLE_EQ(play(job, leaves_at_once).time.value, 5);
}

/// A collective over both stages starts when the slower one has come.
TEST(Job, CollectivesOfSeveralRolesWaitForAll) {
  JobActivity all = reduce(1, {0});
  all.group = 1;
  EXPECT_DOUBLE_EQ(play(pipeline({compute(2), all}, {compute(4), all}), a_second_per_byte).time.value, 5);
}

/// The second stage computes until 5 s, which stops the collective that all have called by 2 s: 5 + 2.
TEST(Progress, OfTheHostTakesAllRoles) {
  JobActivity all = by_host(reduce(2));
  all.group = 1;
  JobActivity later = all;
  later.after = {0};
  EXPECT_DOUBLE_EQ(play(pipeline({compute(2), later}, {all, compute(5)}), a_second_per_byte).time.value, 7);
}

TEST(Job, GroupsFollowFromDimensions) {
  Job job;
  job.dimensions = {{"tensor", 8}, {"data", 4}, {"pipeline", 2}};
  EXPECT_EQ(job.ranks(), 64);
  EXPECT_EQ(job.members({0}).dimensions, (std::vector<RankGroup::Dimension>{{8, 1}}));
  EXPECT_EQ(job.members({1}).dimensions, (std::vector<RankGroup::Dimension>{{4, 8}}));
  EXPECT_EQ(job.members({1, 2}).dimensions, (std::vector<RankGroup::Dimension>{{8, 8}}));  // neighbours join
  EXPECT_EQ(job.members({0, 2}).members().back(), 7 + 32);
}

TEST(Job, SaysWhatIsWrong) {
  const auto error = [](const Job& job) { return complaint([&] { play(job, a_second_per_byte); }); };
  JobActivity lost = reduce(1);
  lost.group = 7;
  EXPECT_EQ(error(of_one_role({lost})), "job test: 'reduce' of rank names a group that the job lacks");
  lost = reduce(1);
  lost.stream = 9;
  EXPECT_EQ(error(of_one_role({lost})), "job test: 'reduce' of rank names a stream that the job lacks");
  EXPECT_EQ(error(of_one_role({compute(1, {0})})),
            "job test: 'compute' of rank comes after what does not stand before it");
  EXPECT_EQ(error(of_one_role({message(Kind::send, 1, 3)})),
            "job test: 'message' of rank names a role that the job lacks");
  EXPECT_EQ(error(of_one_role({message(Kind::send, 1, 0)})),
            "job test: 'message' of rank is a message to its own role");
  EXPECT_EQ(error(of_one_role({{.kind = Kind::offer, .name = "g"}})),
            "job test: 'g' of rank needs a coordinator");
  Job roles = pipeline({}, {});
  roles.roles.pop_back();
  EXPECT_EQ(error(roles), "job test: 1 roles, where its dimensions ask for 2");
  EXPECT_EQ(error(pipeline({message(Kind::receive, 1, 1)}, {})),
            "job test: 'message' of stage 0 waits for ever: its counterpart never comes, or what it comes "
            "after waits "
            "for it");
}

/// Whoever comes first, and whether the message waits or has left.
TEST(Job, CounterpartsAreAlike) {
  const auto error = [](const Job& job, const PriceOf& price) {
    return complaint([&] { play(job, price); });
  };
  JobActivity all = reduce(100), other = reduce(8);
  all.group = other.group = 1;
  EXPECT_EQ(error(pipeline({all}, {compute(1), other}), a_second_per_byte),
            "job test: 'reduce' of stage 0 (allreduce, 100 B) and 'reduce' of stage 1 (allreduce, 8 B) meet, "
            "and have to be alike");
  other = all;
  other.collective = Collective::broadcast, other.algorithm = "chain", other.progress = Progress::host;
  EXPECT_EQ(
      error(pipeline({all}, {other}), a_second_per_byte),
      "job test: 'reduce' of stage 0 (allreduce, 100 B) and 'reduce' of stage 1 (broadcast, 100 B, chain, "
      "brought on by the host) meet, and have to be alike");
  for (const double wait : {0, 10})
    for (const PriceOf& price : {PriceOf(a_second_per_byte), PriceOf(leaves_at_once)}) {
      EXPECT_EQ(
          error(pipeline({message(Kind::send, 100, 1)}, {compute(wait), message(Kind::receive, 8, 0, {0})}),
                price),
          "job test: 'message' of stage 0 (send, 100 B) and 'message' of stage 1 (receive, 8 B) meet, and "
          "have to be alike");
      EXPECT_NE(
          error(pipeline({compute(wait), message(Kind::send, 100, 1, {0})}, {message(Kind::receive, 8, 0)}),
                price),
          "");
    }
}

/// Horovod: cycle 2 s from 0.
Job offered(std::vector<std::pair<double, double>> computed_then_offered, Coordinator c) {
  std::vector<JobActivity> all;
  for (const auto& [seconds, bytes] : computed_then_offered) {
    all.push_back(compute(seconds));
    all.push_back({.kind = Kind::offer, .name = "gradient", .bytes = Bytes(bytes)});
  }
  all.push_back({.kind = Kind::settle, .name = "settled"});
  Job job = of_one_role(all);
  job.coordinator = std::move(c);
  return job;
}
Coordinator every_two_seconds() {
  return {.cycle = Seconds(2), .threshold = Bytes(4), .cache = 100, .phases = {{}}};
}

/// Offered at 1 s and 3 s, in rounds at 0, 2, 4 s: the first is reduced from 2 to 4 s, the second from 4 s,
/// the round and the end of the first, to 5 s.
TEST(Coordinator, WakesInCycles) {
  const Played p = play(offered({{1, 2}, {2, 1}}, every_two_seconds()), a_second_per_byte);
  EXPECT_DOUBLE_EQ(p.time.value, 5);
  EXPECT_DOUBLE_EQ(p.communication.value, 3);
}

/// Both are there by the round at 2 s: one buffer of 3 bytes, to 5 s.
TEST(Coordinator, FusesWhatARoundFinds) {
  const Played p = play(offered({{1, 2}, {0.5, 1}}, every_two_seconds()), a_second_per_byte);
  EXPECT_DOUBLE_EQ(p.time.value, 5);
  int collectives = 0;
  for (const Span& s : p.spans) collectives += s.kind == Kind::collective;
  EXPECT_EQ(collectives, 1);
}

/// Without a cycle: reduced as they come, 1 to 3 s and 3 to 4 s.
TEST(Coordinator, WithoutACycleNothingWaits) {
  Coordinator c = every_two_seconds();
  c.cycle = Seconds();
  EXPECT_DOUBLE_EQ(play(offered({{1, 2}, {2, 1}}, c), a_second_per_byte).time.value, 4);
}

/// As a group all wait for the last, at 3 s; the round at 4 s takes both: 4 + 3.
TEST(Coordinator, AGroupIsReducedTogether) {
  Coordinator c = every_two_seconds();
  c.groups = 1;
  EXPECT_DOUBLE_EQ(play(offered({{1, 2}, {2, 1}}, c), a_second_per_byte).time.value, 7);
}

/// Four tensors, one a second from 1 s on, in two groups: 1 to 2 s and 3 to 4 s; reduced from 2 and from 4 s
/// for 2 s each.
TEST(Coordinator, GroupsDoNotWaitForEachOther) {
  Coordinator c = every_two_seconds();
  c.cycle = Seconds();
  c.groups = 2;
  const Played p = play(offered({{1, 1}, {1, 1}, {1, 1}, {1, 1}}, c), a_second_per_byte);
  EXPECT_DOUBLE_EQ(p.time.value, 6);
  EXPECT_DOUBLE_EQ(p.communication.value, 4);
  std::vector<int> whole;  // of 5 tensors: 3 and 2
  for (int offered = 0; offered <= 5; ++offered) whole.push_back(grouped(offered, 5, 2));
  EXPECT_EQ(whole, (std::vector<int>{0, 0, 0, 3, 3, 5}));
}

/// A hierarchical way: a second per byte in each of three phases, the middle one of a quarter: 2 + 4 (1 + 1/4
/// + 1).
TEST(Coordinator, TakesAWayOfPhases) {
  Coordinator c = every_two_seconds();
  c.phases = {
      {Collective::reduce_scatter, 0, 1}, {Collective::allreduce, 0, 0.25}, {Collective::allgather, 0, 1}};
  EXPECT_DOUBLE_EQ(play(offered({{1, 4}}, c), a_second_per_byte).time.value, 11);
}

TEST(Coordinator, FusesUpToTheThreshold) {
  const auto buffers = fuse({Bytes(3), Bytes(2), Bytes(1), Bytes(9), Bytes(1)}, Bytes(4));
  EXPECT_EQ(buffers, (std::vector<std::vector<int>>{{0, 2}, {1, 4}, {3}}));
}

/// With the cache: an allreduce of ceil((tensors + 3) / 64) words. Without: lengths and requests through rank
/// 0.
TEST(Coordinator, AgreesByBitsOrThroughRank0) {
  std::vector<GroupCall> asked;
  const auto price = [&](const GroupCall& call) {
    asked.push_back(call);
    return Price{Seconds(call.bytes.value), {}, {}, ""};
  };
  RankGroup all{{{8, 1}}, 8};
  Coordinator c = every_two_seconds();
  const RoundTime bits = round_time(c, all, 62, price, &Price::time);
  EXPECT_DOUBLE_EQ(bits.with(62).value, 16);  // 65 bits: two words
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(asked[0].control);
  c.cache = 0;
  asked.clear();
  const RoundTime slow = round_time(c, all, 10, price, &Price::time);
  // 4 B and a header of 16 B from each of 8, and two headers; of a tensor 100 B from each, and to each
  EXPECT_DOUBLE_EQ(slow.empty.value, 8 * 4 + 8 * 16 + 2 * 16);
  EXPECT_DOUBLE_EQ(slow.per_tensor.value, 8 * 100 + 100);
  c.request = Seconds(0.25);  // of rank 0, for each of 8 ranks
  EXPECT_DOUBLE_EQ(round_time(c, all, 10, price, &Price::time).per_tensor.value, 8 * 100 + 100 + 8 * 0.25);
}

}  // namespace
}  // namespace collcast::workloads
