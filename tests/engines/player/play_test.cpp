// SPDX-License-Identifier: Apache-2.0
// Small programs whose times are computed by hand. On `hockney` a message of n bytes takes 1 + n seconds and
// reducing it n more; on `eager` o = 1, L = 2 and a byte takes 1.
#include <gtest/gtest.h>

#include "engines/player/player.hpp"
#include "model/lowering.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "tests/engines/player/scripts.hpp"

namespace collcast {
namespace {

using namespace testing;

const AlphaBetaGamma hockney{Seconds(1), SecondsPerByte(1), SecondsPerByte(1)};
const LogGP eager{Seconds(3), Seconds(1), Seconds(1), SecondsPerByte(1), SecondsPerByte(1)};

struct Log : Observer {
  void done(const Interval& i) override {
    if (i.kind != Op::Kind::compute) intervals.push_back(i);
  }
  std::vector<Interval> intervals;
};

template <class Machine>
Result run(std::vector<Script> scripts, const Machine& machine, const PlayOptions& options = {}) {
  const auto ranks = static_cast<Rank>(scripts.size());
  Written program(std::move(scripts));
  return play(program, UniformFabric(machine, ranks), options);
}

std::string error_of(std::vector<Script> scripts) {
  try {
    run(std::move(scripts), hockney);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Play, ProcessorServesItsTasksInOrder) {
  const Result r = run({{{compute(2), compute(3)}}}, hockney);
  EXPECT_EQ(r.time, Seconds(5));
  EXPECT_EQ(r.ranks[0].compute, Seconds(5));
  EXPECT_EQ(r.ranks[0].exposed, Seconds(0));
}

TEST(Play, CommunicationHidesBehindComputation) {
  const std::vector<Script> hidden = {{{send(1, 2)}}, {{receive(0, 2), compute(5)}}};
  EXPECT_EQ(run(hidden, hockney).ranks[1].exposed, Seconds(0));
  const std::vector<Script> exposed = {{{send(1, 2)}}, {{receive(0, 2), compute(1)}}};
  EXPECT_EQ(run(exposed, hockney).ranks[1].exposed, Seconds(2));  // 1 + 2 - 1
}

TEST(Play, MessagesOfATagMatchInOrder) {
  // 1 + 1, then 1 + 4 through the same ports.
  const Result r =
      run({{{send(1, 1), send(1, 4)}}, {{receive(0, 1)}, {compute(10)}, {receive(0, 4)}}}, hockney);
  EXPECT_EQ(r.ranks[1].finish, Seconds(2 + 10 + 5));
  EXPECT_EQ(r.messages, 2);
  EXPECT_EQ(r.bytes, Bytes(5));
}

TEST(Play, TagsMatchApart) {
  const Result r = run({{{send(1, 4, 7)}, {send(1, 1, 8)}}, {{receive(0, 1, 8), receive(0, 4, 7)}}}, hockney);
  EXPECT_EQ(r.time, Seconds(5 + 2));
}

TEST(Play, EagerSenderDoesNotWait) {
  // The sender pays o = 1; the bytes are long there when the receiver comes, which pays o.
  const Result r = run({{{send(1, 4)}}, {{compute(20)}, {receive(0, 4)}}}, eager);
  EXPECT_EQ(r.ranks[0].finish, Seconds(1));
  EXPECT_EQ(r.ranks[1].finish, Seconds(21));
  // o + (L - G) + 4 G + o
  EXPECT_EQ(run({{{send(1, 4)}}, {{receive(0, 4)}}}, eager).ranks[1].finish, Seconds(1 + 2 + 4 + 1));
}

TEST(Play, ARankPaysForItsMessagesOneAfterAnother) {
  // Sent at 1 and 2, there at 4 and 5, paid for at 5 and 6; in a batch or as requests.
  const std::vector<Script> receivers = {{{receive(0, 1)}}, {{receive(0, 1)}}};
  const auto finish = [&](Script sender) {
    const Result r = run({sender, receivers[0], receivers[1]}, eager);
    return std::pair(r.ranks[1].finish.value, r.ranks[2].finish.value);
  };
  EXPECT_EQ(finish({{send(1, 1), send(2, 1)}}), std::pair(5., 6.));
  EXPECT_EQ(finish({{send(1, 1, 0, 1)}, {send(2, 1, 0, 2)}, {wait(1), wait(2)}}), std::pair(5., 6.));
  // Both there at 4, but one port: at 4 and 5. Paid for at 5 and 6.
  const Result both =
      run({{{send(2, 1)}}, {{send(2, 1)}}, {{receive(0, 1, 0, 1), receive(1, 1, 0, 2)}, {wait(1), wait(2)}}},
          eager);
  EXPECT_EQ(both.ranks[2].finish, Seconds(6));
}

/// The channels of a schedule share the processor of their rank, unless each has its own.
TEST(Play, AProcessorPaysForAllChannelsUnlessEachHasItsOwn) {
  class Channels : public UniformFabric {
   public:
    explicit Channels(bool channels_pay)
        : UniformFabric(LogGP{Seconds(10), Seconds(2), {}, {}, {}}, 3), protocol_(UniformFabric::protocol()) {
      protocol_.channels_pay = channels_pay;
    }
    const MessageProtocol& protocol() const override { return protocol_; }

   private:
    MessageProtocol protocol_;
  };
  Schedule both{3, 1, 1, {}, 2};
  both.rule = [](std::int64_t, Step& step) {
    step.transfers.push_back({0, 1, {}});
    step.transfers.push_back({0, 2, {}, -1, 1});
  };
  // Paid at 2, or at 2 and 4; 10 on the way; 2 to receive.
  const auto finish = [&](bool channels_pay) {
    return play(*program(both, Layout::equal(Bytes(0), 1)), Channels(channels_pay)).ranks[2].finish.value;
  };
  EXPECT_EQ(finish(true), 14);
  EXPECT_EQ(finish(false), 16);
}

TEST(Play, ARankAsksForRendezvousOneAfterAnother) {
  // Asked at 0 and 1, answered after 2 (L + 2 o) = 10; then 1 + 2 + 1 and the receiver's 1.
  LogGP asking = eager;
  asking.S = Bytes(0);
  const Result r = run({{{send(1, 1), send(2, 1)}}, {{receive(0, 1)}}, {{receive(0, 1)}}}, asking);
  EXPECT_EQ(r.ranks[1].finish, Seconds(10 + 5));
  EXPECT_EQ(r.ranks[2].finish, Seconds(10 + 6));
  // Who comes at 20 is answered at once; the port sends one after the other.
  const Script late = {{compute(20)}, {receive(0, 1)}};
  const Result both = run({{{send(1, 1), send(2, 1)}}, late, late}, asking);
  EXPECT_EQ(both.ranks[1].finish, Seconds(20 + 10 + 5));
  EXPECT_EQ(both.ranks[2].finish, Seconds(20 + 10 + 6));
}

TEST(Play, RequestsAreWaitedFor) {
  Log log;
  const Result r = run({{{send(1, 4, 0, 9)}, {compute(2)}, {wait(9)}}, {{receive(0, 4)}}}, hockney, {&log});
  EXPECT_EQ(r.ranks[0].finish, Seconds(5));
  EXPECT_EQ(r.ranks[0].exposed, Seconds(3));
  ASSERT_EQ(log.intervals.size(), 2u);  // the wait, and the blocking receive
  for (const auto& i : log.intervals) {
    const bool waits = i.kind == Op::Kind::wait;
    EXPECT_EQ(i.rank, waits ? 0 : 1);
    EXPECT_EQ(i.tag, waits ? 9u : 0u);
    EXPECT_EQ(i.begin, waits ? Seconds(2) : Seconds(0));
    EXPECT_EQ(i.end, Seconds(5));
  }
}

TEST(Play, OneRequestOfSeveralOperations) {
  const Result r = run({{{compute(1, 3), compute(2, 3)}, {wait(3)}, {compute(1, 3)}, {wait(3)}}}, hockney);
  EXPECT_EQ(r.time, Seconds(4));
}

TEST(Play, StartedStrandsRunBesideTheMainStrand) {
  Log log;
  const Script child = {{receive(1, 2)}, {compute(1)}};
  const Result r = run({{{start(child, 42, 1)}, {compute(2)}, {wait(1)}}, {{send(0, 2)}}}, hockney, {&log});
  EXPECT_EQ(r.ranks[0].finish, Seconds(4));  // received at 3, computes until 4
  const auto& started =
      log.intervals.front().kind == Op::Kind::start ? log.intervals.front() : log.intervals[1];
  EXPECT_EQ(started.kind, Op::Kind::start);
  EXPECT_EQ(started.tag, 42u);
  EXPECT_EQ(started.begin, Seconds(0));
  EXPECT_EQ(started.end, Seconds(4));
}

TEST(Play, JoinWaitsForAllAndMayBeUsedAgain) {
  // Both strands meet after 2 and 1 + 2 seconds of the one processor, then again after 1 + 1 more.
  const Script strand = {{compute(1)}, {join(2, 5)}, {compute(1)}, {join(2, 5)}};
  const Result r = run(
      {{{start({{compute(1)}, {join(2, 5)}, {compute(1)}, {join(2, 5)}}, 0), start(strand, 1)}}}, hockney);
  EXPECT_EQ(r.time, Seconds(4));
}

/// Both load the links of rank 0 fully: 4 s and 2 s of work take 4 s until the second is over, and 2 s more.
/// One that loads nothing, or other links, takes its time.
TEST(Play, MeetingsOfARankShareItsLinks) {
  const auto loading = [](std::uint64_t tag, double seconds, double load, bool between_nodes = false) {
    Line line = meet(2, tag, seconds);
    line.op.load = load, line.op.between_nodes = between_nodes;
    return Script{{line}};
  };
  const Script both = {{start(loading(1, 4, 1), 1, 1), start(loading(2, 2, 1), 2, 2)}, {wait(1)}, {wait(2)}};
  EXPECT_NEAR(run({both, both}, hockney).time.value, 6, 1e-9);
  const Script apart = {
      {start(loading(1, 4, 1), 1, 1), start(loading(2, 2, 1, true), 2, 2)}, {wait(1)}, {wait(2)}};
  EXPECT_NEAR(run({apart, apart}, hockney).time.value, 4, 1e-9);
  const Script light = {
      {start(loading(1, 4, 0.5), 1, 1), start(loading(2, 2, 0.5), 2, 2)}, {wait(1)}, {wait(2)}};
  EXPECT_NEAR(run({light, light}, hockney).time.value, 4, 1e-9);
}

TEST(Play, AMeetingTakesItsTimeOnceAllHaveCome) {
  // The last comes at 3, and all go on at 7; rank 1 computes for 1 more. The next meeting has other members.
  const Result r = run({{{compute(2)}, {meet(3, 9, 4)}},
                        {{compute(1)}, {meet(3, 9, 4)}, {compute(1)}, {meet(2, 9, 1)}},
                        {{compute(3)}, {meet(3, 9, 4)}, {meet(2, 9, 1)}}},
                       hockney);
  EXPECT_EQ(r.ranks[0].finish, Seconds(7));
  EXPECT_EQ(r.ranks[1].finish, Seconds(9));
  EXPECT_EQ(r.ranks[2].finish, Seconds(9));
}

TEST(Play, ReductionsOfARankFollowOneAnother) {
  // Delivered at 3 and 6; reducing takes 2 each: 5 and 8.
  EXPECT_EQ(run({{{reduce(1, 2), reduce(2, 2)}}, {{send(0, 2)}}, {{send(0, 2)}}}, hockney).time, Seconds(8));
}

TEST(Play, MulticastLeavesOnce) {
  const Result r =
      run({{{multicast({0, 4, 1}, 3)}}, {{receive(0, 3)}}, {{receive(0, 3)}}, {{receive(0, 3)}}}, hockney);
  EXPECT_EQ(r.time, Seconds(4));
  EXPECT_EQ(r.ports[0].bytes, Bytes(3));
  EXPECT_EQ(run({{{multicast({0, 1, 1}, 3)}}}, hockney).time, Seconds(0));  // nobody but the sender
}

TEST(Play, NamesTheBottleneck) {
  const UniformFabric fabric(hockney, 3);
  Written program({{{receive(1, 2)}, {receive(2, 2)}}, {{send(0, 2)}}, {{send(0, 2)}}});
  const Bottleneck b = bottleneck(play(program, fabric), fabric);
  EXPECT_EQ(b.name, "rank 0 in");
  EXPECT_DOUBLE_EQ(b.busy, 1);
  Written idle({{{compute(1)}}});
  EXPECT_EQ(bottleneck(play(idle, fabric), fabric).name, "");
}

TEST(Play, EmptyProgramTakesNoTime) {
  EXPECT_EQ(run({{}, {}}, hockney).time, Seconds(0));
}

TEST(PlayErrors, DeadlockNamesWhoWaitsForWhat) {
  EXPECT_EQ(
      error_of({{{receive(1, 1, 4)}}, {{receive(0, 1, 3)}}}),
      "deadlock: rank 0 waits for a message from rank 1 (tag 4); rank 1 waits for a message from rank 0 "
      "(tag 3)");
  EXPECT_EQ(error_of({{{send(1, 1, 4)}}, {}}), "deadlock: rank 0 waits for a receive by rank 1 (tag 4)");
  EXPECT_EQ(error_of({{{wait(6)}}}), "deadlock: rank 0 waits for request 6, never begun");
  EXPECT_EQ(error_of({{{join(2, 1)}}}), "deadlock: rank 0 waits for other strands (tag 1)");
  EXPECT_EQ(error_of({{}, {{meet(2, 1, 0)}}}), "deadlock: rank 1 waits for other ranks (tag 1)");
  EXPECT_EQ(
      error_of(std::vector<Script>(5, Script{{wait(6)}})),
      "deadlock: rank 0 waits for request 6, never begun; rank 1 waits for request 6, never begun; rank 2 "
      "waits for request 6, never begun; and 2 more");
}

TEST(PlayErrors, ARunMayStopShort) {
  PlayOptions options;
  options.may_stop_short = true;
  const Result r = run({{{compute(2)}, {wait(6)}}}, hockney, options);
  EXPECT_EQ(r.stopped_short, "rank 0 waits for request 6, never begun");
}

TEST(PlayErrors, BadPrograms) {
  EXPECT_EQ(error_of({{{send(3, 1)}}}), "rank 0 names rank 3 as its peer; there are ranks 0 to 0");
  EXPECT_EQ(error_of({{{receive(-1, 1)}}}), "rank 0 names rank -1 as its peer; there are ranks 0 to 0");
  EXPECT_EQ(error_of({{{compute(-1)}}}), "rank 0: an operation of negative size or time");
  EXPECT_EQ(error_of({{{receive(0, 1, 0, 2)}, {start({{wait(2)}}, 0), wait(2)}}}),
            "rank 0 waits twice for request 2");
  Written program({{}, {}});
  EXPECT_THROW(play(program, UniformFabric(hockney, 1)), InputError);
}

TEST(Play, InterruptAndProgress) {
  Script talk;
  for (int i = 0; i < 10000; ++i) talk.push_back({compute(1)});
  std::atomic<bool> stop = false;
  int calls = 0;
  PlayOptions options{nullptr, [&](Seconds, std::int64_t) { ++calls; }};
  const InterruptedBy user(&stop);
  run({talk}, hockney, options);
  EXPECT_GE(calls, 2);
  stop = true;
  EXPECT_THROW(run({talk}, hockney, options), Interrupted);
}

}  // namespace
}  // namespace collcast
