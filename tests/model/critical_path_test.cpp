// SPDX-License-Identifier: Apache-2.0
#include "model/critical_path.hpp"

#include <gtest/gtest.h>

#include "model/compose.hpp"
#include "support/interrupt.hpp"

namespace collcast {
namespace {

/// A schedule written out: one list of transfers per step.
Schedule written(Rank ranks, Block blocks, std::vector<std::vector<Transfer>> steps) {
  const auto count = static_cast<std::int64_t>(steps.size());
  return {ranks, blocks, count, [steps](std::int64_t s, Step& step) {
            for (const Transfer& t : steps[static_cast<std::size_t>(s)]) step.transfers.push_back(t);
          }};
}

PathResult path(const Schedule& s, Bytes n, const AlphaBetaGamma& m) {
  return critical_path(s, Layout::equal(n, s.blocks), UniformNetwork(m, s.ranks));
}

constexpr AlphaBetaGamma machine{Seconds(10), SecondsPerByte(2), SecondsPerByte(3)};

TEST(CriticalPath, OneMessageTakesAlphaAndItsBytes) {
  // 10 + 4 * 2 = 18; with reduction 4 * 3 more for the receiver only.
  const auto copied = path(written(2, 1, {{{0, 1, {}}}}), Bytes(4), machine);
  EXPECT_EQ(copied.time.value, 18);
  const auto reduced = path(written(2, 1, {{{0, 1, {}, -1, 0, Combine::reduce}}}), Bytes(4), machine);
  EXPECT_EQ(reduced.finish[0].value, 18);
  EXPECT_EQ(reduced.finish[1].value, 30);
}

TEST(CriticalPath, EndsOnceAMessageArrivesAfterTheLimit) {
  // A hundred messages of 18 each through one port: 1,800 in all, in a single step.
  const Schedule many{101, 1, 1, [](std::int64_t, Step& step) {
                        for (Rank r = 1; r <= 100; ++r) step.send(0, r, {});
                      }};
  const auto limited = [&](double limit) {
    const UniformNetwork network(machine, many.ranks);
    return critical_path(many, Layout::equal(Bytes(4), 1), network, {}, Seconds(limit)).time.value;
  };
  EXPECT_EQ(limited(1800), 1800);
  for (const double limit : {1.0, 500.0, 1799.0}) {
    EXPECT_GT(limited(limit), limit);
    EXPECT_LE(limited(limit), 1800);
  }
  EXPECT_LT(limited(500), 1000) << "the rest of the step is not read";
}

TEST(Schedules, CountMessagesByWhatRepeats) {
  int read = 0;
  const Schedule ring{3, 3, 1000, [&read](std::int64_t, Step& step) {
                        ++read;
                        for (Rank r = 0; r < 3; ++r) step.send(r, (r + 1) % 3, {});
                      }};
  EXPECT_EQ(messages_of(ring, 5000), 3000);
  EXPECT_EQ(std::exchange(read, 0), 1000);
  EXPECT_EQ(messages_of(repeating(ring, {{0, 400}, {400, 1000, 2}}), 5000), 3000);
  EXPECT_EQ(read, 3);
  EXPECT_GT(messages_of(ring, 100), 100);
}

TEST(CriticalPath, EndsAtAnInterrupt) {
  const Schedule one = written(2, 1, {{{0, 1, {}}}});
  std::atomic<bool> stop = false;
  const InterruptedBy user(&stop);
  EXPECT_EQ(path(one, Bytes(4), machine).time.value, 18);
  stop = true;
  EXPECT_THROW(path(one, Bytes(4), machine), Interrupted);
  const InterruptedBy nobody(nullptr);
  EXPECT_EQ(path(one, Bytes(4), machine).time.value, 18);
}

TEST(CriticalPath, TheNetworkReducesForNothingAndWaitsForTheLast) {
  // 1 -> 2 (18) delays rank 1's part: 18 + 18 = 36. Rank 0's own is gone at 18; no rank pays for the sum.
  const Schedule s{4, 1, 2, [](std::int64_t i, Step& step) {
                     i == 0 ? step.send(1, 2, {0}) : step.reduce_in_network({0, 4}, 3, {0});
                   }};
  const auto result = path(s, Bytes(4), machine);
  EXPECT_EQ(result.finish[3].value, 36);
  EXPECT_EQ(result.finish[0].value, 18);
}

TEST(CriticalPath, StepsAreNotBarriers) {
  // 0 -> 1 (18) then 1 -> 2 (36); 3 -> 4 happens in the second step but needs nobody: 18.
  const auto result = path(written(5, 1, {{{0, 1, {}}}, {{1, 2, {}}, {3, 4, {}}}}), Bytes(4), machine);
  EXPECT_EQ(result.finish[2].value, 36);
  EXPECT_EQ(result.finish[4].value, 18);
}

/// Rank 1 comes at 5 and takes its message from then on: 5 + 18.
TEST(CriticalPath, RanksMayEnterAtDifferentTimes) {
  const Schedule s = written(2, 1, {{{0, 1, {}}}});
  const Layout layout = Layout::equal(Bytes(4), 1);
  const UniformNetwork network(machine, 2);
  const PathResult result = CriticalPath(s, layout, network).run({Seconds(0), Seconds(5)});
  EXPECT_EQ(result.finish[1].value, 23);
}

/// L = 10, o = 1, and 7 more for a message after one of another sender.
class Queues : public UniformNetwork {
 public:
  explicit Queues(Rank ranks)
      : UniformNetwork(LogGP{Seconds(10), Seconds(1), {}, {}, {}}, ranks),
        protocol_(UniformNetwork::protocol()) {
    protocol_.other_senders = true;
  }
  Wire wire(Place from, Place to, Bytes bytes) const {
    Wire w = UniformNetwork::wire(from, to, bytes);
    return w.other_sender = Seconds(7), w;
  }
  const MessageProtocol& protocol() const { return protocol_; }

 private:
  MessageProtocol protocol_;
};

/// Rank 1 sends after rank 0 and pays 1 + 7, then again and pays 1: at 9 + 10 it is there, received at 20.
/// Rank 0 pays 1; when the schedule begins again, rank 2 has heard of rank 1 last, and rank 0 pays 8.
TEST(CriticalPath, AMessageAfterOneOfAnotherSenderCostsMore) {
  const Schedule s = written(3, 1, {{{0, 2, {}}}, {{1, 2, {}}}, {{1, 2, {}}}});
  const Layout layout = Layout::equal(Bytes(4), 1);
  const Queues network(3);
  EXPECT_EQ(CriticalPath(s, layout, network).run().finish[2].value, 20);
  LastSenders last(3);
  EXPECT_EQ(CriticalPath(s, layout, network).run({}, &last).finish[0].value, 1);
  EXPECT_EQ(CriticalPath(s, layout, network).run({}, &last).finish[0].value, 1 + 7);
}

/// Ranks 0 and 1 send in turn: each message but the first costs 8.
TEST(CriticalPath, SkippedPeriodsCostAsMuchAfterAnotherSender) {
  const Schedule s{3, 1, 1000, [](std::int64_t i, Step& step) { step.send(i % 2 == 0 ? 0 : 1, 2, {}); }};
  const Layout layout = Layout::equal(Bytes(4), 1);
  const Queues network(3);
  const PathResult all = CriticalPath(s, layout, network).run();
  EXPECT_EQ(all.finish[0].value, 1 + 499 * 8);
  EXPECT_EQ(CriticalPath(repeating(s, {{0, 1000, 2}}), layout, network).run().finish, all.finish);
}

TEST(CriticalPath, APortServesItsMessagesOneByOne) {
  // Two messages leave rank 0 in one step: the second arrives at 36. Opposite directions do not disturb each
  // other.
  const auto result = path(written(3, 1, {{{0, 1, {}}, {0, 2, {}}, {1, 0, {}}}}), Bytes(4), machine);
  EXPECT_EQ(result.finish[2].value, 36);
  EXPECT_EQ(result.finish[1].value, 18);
  EXPECT_EQ(result.busy[0].value, 36);
}

TEST(CriticalPath, MulticastLeavesOnce) {
  Schedule s{4, 1, 1, [](std::int64_t, Step& step) { step.multicast(0, {0, 4}, {}); }};
  const auto result = path(s, Bytes(4), machine);
  EXPECT_EQ(result.time.value, 18);
  EXPECT_EQ(result.busy[0].value, 18);
}

TEST(CriticalPath, LogGpBinomialReductionMatchesLogGOPSim) {
  // LogGOPSim's README, 8 hosts, 1024 B, L 2500 o 1500 g 1000 G 6 (ns): leaves end at 1500, then 13138,
  // 24776; the root receives its last message at 34914.
  const LogGP m{Seconds(2500), Seconds(1500), Seconds(1000), SecondsPerByte(6), {}};
  std::vector<std::vector<Transfer>> steps;
  for (Rank d = 1; d < 8; d *= 2) {
    steps.emplace_back();
    for (Rank r = 0; r < 8; r += 2 * d) steps.back().push_back({r + d, r, {}, -1, 0, Combine::reduce});
  }
  const Schedule s = written(8, 1, steps);
  const auto result = critical_path(s, Layout::equal(Bytes(1024), 1), UniformNetwork(m, 8));
  EXPECT_DOUBLE_EQ(result.finish[1].value, 1500);
  EXPECT_DOUBLE_EQ(result.finish[2].value, 13138);
  EXPECT_DOUBLE_EQ(result.finish[4].value, 24776);
  EXPECT_DOUBLE_EQ(result.finish[0].value, 34914);
}

/// L = 10, o = 2, G = 1: a message of one byte that nothing delays is there after 2 + 10 and paid for at 14.
template <class Network = UniformNetwork>
PathResult with_overheads(std::vector<std::vector<Transfer>> steps, Bytes eager_limit = Bytes(1)) {
  LogGP m;
  m.L = Seconds(10), m.o = Seconds(2), m.g = Seconds(1), m.G = SecondsPerByte(1), m.S = eager_limit;
  return critical_path(written(4, 1, std::move(steps)), Layout::equal(Bytes(1), 1), Network(m, 4));
}

/// Messages do not queue where they arrive.
struct ManyPorts : UniformNetwork {
  using UniformNetwork::UniformNetwork;
  Wire wire(Place from, Place to, Bytes bytes) const {
    Wire w = UniformNetwork::wire(from, to, bytes);
    w.in_queue = Wire::nowhere;
    return w;
  }
};

TEST(CriticalPath, ARankPaysForItsMessagesOneAfterAnother) {
  // Rank 0 has paid at 2, 4 and 6.
  const auto sent = with_overheads({{{0, 1, {}}, {0, 2, {}}, {0, 3, {}}}});
  EXPECT_EQ(sent.finish, (std::vector<Seconds>{Seconds(6), Seconds(14), Seconds(16), Seconds(18)}));
  // All are there by 14, the port lets in one per second; rank 0 has paid for them at 14, 16 and 18.
  const auto received = with_overheads({{{1, 0, {}}, {2, 0, {}}, {3, 0, {}}}});
  EXPECT_EQ(received.finish[0].value, 18);
  EXPECT_EQ(sent.paying.value, 6);
  EXPECT_EQ(received.paying.value, 6);
}

/// Rank 0 sends one message on each of two channels, and receives one on each in the second step: one
/// processor pays for all four.
TEST(CriticalPath, AProcessorPaysForAllChannelsUnlessEachHasItsOwn) {
  struct Channels : UniformNetwork {
    Channels(bool channels_pay)
        : UniformNetwork(LogGP{Seconds(1), Seconds(2), {}, {}, {}}, 5), rules{UniformNetwork::protocol()} {
      rules.channels_pay = channels_pay;
    }
    const MessageProtocol& protocol() const { return rules; }
    MessageProtocol rules;
  };
  const Schedule one = written(5, 1, {{{0, 1, {}}}, {{2, 0, {}}}});
  const Schedule other = written(5, 1, {{{0, 3, {}}}, {{4, 0, {}}}});
  const auto path = [&](bool channels_pay) {
    const Schedule both = beside(one, other);
    return critical_path(both, Layout::equal(Bytes(0), both.blocks), Channels(channels_pay));
  };
  EXPECT_EQ(path(true).time.value, 5);  // paid at 2, there at 3, paid at 5
  EXPECT_EQ(path(true).paying.value, 0);
  EXPECT_EQ(path(false).time.value, 8);
  EXPECT_EQ(path(false).paying.value, 8);
}

/// Each byte holds the port where it arrives for a quarter of the time that it takes on its way.
struct FastReceivers : UniformNetwork {
  using UniformNetwork::UniformNetwork;
  Wire wire(Place from, Place to, Bytes bytes) const {
    Wire w = UniformNetwork::wire(from, to, bytes);
    w.spare_in = 0.75 * w.per_byte;
    return w;
  }
};

TEST(CriticalPath, AFastPortTakesInSeveralMessagesAtOnce) {
  LogGP m;
  m.L = Seconds(1), m.g = Seconds(1), m.G = SecondsPerByte(1);
  const auto finish = [&](Rank senders) {
    std::vector<Transfer> all;
    for (Rank r = 1; r <= senders; ++r) all.push_back({r, 0, {}});
    return critical_path(written(7, 1, {all}), Layout::equal(Bytes(100), 1), FastReceivers(m, 7)).finish[0];
  };
  EXPECT_EQ(finish(1).value, 100);
  EXPECT_EQ(finish(4).value, 100);  // together they come as fast as the port lets them in
  EXPECT_EQ(finish(6).value, 150);  // the port is busy for 6 x 25
}

TEST(CriticalPath, WhatIsSentIsPaidBeforeWhatArrives) {
  // Rank 0 comes to its second step at 14; rank 1's message has been there since 12: 14 + 2 + 2.
  const auto result = with_overheads({{{2, 0, {}}}, {{1, 0, {}}, {0, 3, {}}}});
  EXPECT_EQ(result.finish[0].value, 18);
  EXPECT_EQ(result.finish[3].value, 14 + 14);
}

TEST(CriticalPath, ArrivalsArePaidInTheirOrder) {
  // Rank 3's message comes at 12 and is paid for at 14; rank 1, which waited until 14 for rank 2's, sends
  // one that comes at 26. Through one port rank 3's passes after rank 1's, as the schedule says.
  const std::vector<std::vector<Transfer>> steps = {{{2, 1, {}}}, {{1, 0, {}}, {3, 0, {}}}};
  EXPECT_EQ(with_overheads<ManyPorts>(steps).finish[0].value, 28);
  EXPECT_EQ(with_overheads(steps).finish[0].value, 30);
}

TEST(CriticalPath, ARankAsksForRendezvousOneAfterAnother) {
  // At 0, 2 and 4, each answered after 2 (L + 2 o) = 28; then as a message that needs not ask.
  const auto result = with_overheads({{{0, 1, {}}, {0, 2, {}}, {0, 3, {}}}}, Bytes(0));
  EXPECT_EQ(result.finish[1].value, 28 + 14);
  EXPECT_EQ(result.finish[2].value, 28 + 16);
  EXPECT_EQ(result.finish[3].value, 28 + 18);
}

TEST(CriticalPath, ALateReceiverAnswersAtOnce) {
  // Ranks 1 and 2 come at 14, after rank 0 has asked both: the port alone sends one after the other.
  const auto result = with_overheads({{{3, 1, {}}, {3, 2, {}}}, {{0, 1, {}}, {0, 2, {}}}}, Bytes(0));
  const double ready = 28 + 14;
  EXPECT_EQ(result.finish[1].value, ready + 28 + 14);
  EXPECT_EQ(result.finish[2].value, ready + 2 + 28 + 14);
}

TEST(CriticalPath, ChannelsRunSideBySideUntilTheyJoin) {
  // Channel 0: 0 -> 1, then 0 -> 1 again; channel 1: 2 -> 3. After the join rank 3 sends to 2.
  const Schedule two = written(4, 1, {{{0, 1, {}}}, {{0, 1, {}}}});
  const Schedule other = written(4, 1, {{{2, 3, {}}}});
  const Schedule after = written(4, 2, {{{3, 2, {}}, {1, 0, {}}}});
  const auto result = path(then(beside(two, other), after), Bytes(8), machine);
  EXPECT_EQ(result.finish[2].value, 36);
  EXPECT_EQ(result.finish[0].value, 54);
}

TEST(CriticalPath, ChannelsMayJoinOnOneRank) {
  // Up on channel 0: 1 -> 0 twice; down on channel 1: 0 -> 1 and 0 -> 2, each after what has come up.
  const auto played = [](Rank rank) {
    Schedule s{3, 2, 3, {}, 2};
    s.rule = [rank](std::int64_t at, Step& step) {
      if (at > 0) step.joins.push_back({0, 2, rank});
      if (at < 2) step.transfers.push_back({1, 0, {at}});
      if (at > 0) step.transfers.push_back({0, 2, {at - 1}, -1, 1});
    };
    return path(s, Bytes(8), machine).time.value;
  };
  const auto one = path(written(2, 1, {{{0, 1, {}}}}), Bytes(4), machine).time.value;
  EXPECT_EQ(played(0), 3 * one) << "up, up beside down, down";
  EXPECT_EQ(played(2), 2 * one) << "rank 2 receives only: nothing holds rank 0";
}

TEST(CriticalPath, BlocksOfDifferentSizes) {
  const Schedule s = written(2, 3, {{{0, 1, {1, 2}}}});
  const auto result = critical_path(s, Layout({Bytes(100), Bytes(1), Bytes(3)}), UniformNetwork(machine, 2));
  EXPECT_EQ(result.time.value, 18);
}

/// LogGP with L = 10 and G = 1: of 5 bytes the first takes no G. 0 -> 1, then 1 -> 2.
Seconds relayed(Bytes eager_limit, Seconds away, Combine combine = Combine::copy) {
  LogGP m;
  m.L = Seconds(10), m.G = SecondsPerByte(1), m.gamma = SecondsPerByte(2), m.S = eager_limit;
  const Schedule s = written(3, 1, {{{0, 1, {}, -1, 0, combine}}, {{1, 2, {}, -1, 0, combine}}});
  return critical_path(s, Layout::equal(Bytes(5), 1), UniformNetwork(m, 3), away).time;
}

TEST(CriticalPath, RanksThatAreAwayGoOnWhenTheyAreBack) {
  const Bytes eager(5), rendezvous(4);
  // 14 each. Away until 100: rank 1 has its message by then, and passes it on.
  EXPECT_EQ(relayed(eager, {}).value, 28);
  EXPECT_EQ(relayed(eager, Seconds(100)).value, 114);
  EXPECT_EQ(relayed(eager, Seconds(20)).value, 34);
  EXPECT_EQ(relayed(eager, Seconds(5)).value, 28) << "back before the message comes";
  // A handshake of 2 L first, which a rank that is away does not answer: 34 each.
  EXPECT_EQ(relayed(rendezvous, {}).value, 68);
  EXPECT_EQ(relayed(rendezvous, Seconds(100)).value, 168);
  // Nor does it reduce: 14, then 5 * 2.
  EXPECT_EQ(relayed(eager, {}, Combine::reduce).value, 48);
  EXPECT_EQ(relayed(eager, Seconds(100), Combine::reduce).value, 134);
}

}  // namespace
}  // namespace collcast
