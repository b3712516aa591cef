// SPDX-License-Identifier: Apache-2.0
// Contention computed by hand: every rank's links carry 1 byte per second, the trunk is shared by all.
#include <gtest/gtest.h>

#include "model/critical_path.hpp"
#include "model/lowering.hpp"
#include "support/interrupt.hpp"
#include "tests/engines/contended_engines.hpp"
#include "tests/engines/contention/shared_fabric.hpp"
#include "tests/engines/player/schedules.hpp"
#include "tests/engines/player/scripts.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;
using Hold = MessageProtocol::Hold;

void expect_finish(std::vector<Script> scripts, const Fabric& fabric, const std::vector<double>& finish) {
  Written program(std::move(scripts));
  for (const ContendedEngine& engine : contended_engines()) {
    const Result r = engine.play(program, fabric);
    for (std::size_t i = 0; i < finish.size(); ++i)
      EXPECT_NEAR(r.ranks[i].finish.value, finish[i], 1e-7) << engine.name << ", rank " << i;
  }
}

TEST(Contention, EndsAtAnInterrupt) {
  const SharedFabric fabric(4, 1, Hold::injection);
  const std::atomic<bool> stop = true;
  const InterruptedBy user(&stop);
  for (const ContendedEngine& engine : contended_engines()) {
    Written program({{{send(1, 6)}}, {{receive(0, 6)}}});
    EXPECT_THROW(engine.play(program, fabric), Interrupted) << engine.name;
  }
}

TEST(Contention, TwoFlowsShareALink) {
  const SharedFabric fabric(4, 1, Hold::injection);
  expect_finish({{{send(1, 6)}}, {{receive(0, 6)}}, {{send(3, 6)}}, {{receive(2, 6)}}}, fabric,
                {0, 12, 0, 12});
  // Half speed until the shorter is through at 12; 6 bytes are left for full speed.
  expect_finish({{{send(1, 6)}}, {{receive(0, 6)}}, {{send(3, 12)}}, {{receive(2, 12)}}}, fabric,
                {0, 12, 0, 18});
}

TEST(Contention, ALaterFlowSlowsOneThatWasAlone) {
  // 2 bytes alone, 4 at half speed until 10; the other then has 4 left.
  expect_finish({{{send(1, 6)}}, {{receive(0, 6)}}, {{compute(2)}, {send(3, 8)}}, {{receive(2, 8)}}},
                SharedFabric(4, 1, Hold::injection), {0, 10, 2, 14});
}

TEST(Contention, ANicServesItsMessagesInOrder) {
  expect_finish({{{send(1, 5), send(2, 5)}}, {{receive(0, 5)}}, {{receive(0, 5)}}},
                SharedFabric(3, 1, Hold::injection, 2), {0, 7, 12});
}

/// Ports that messages share.
struct ConnectedFabric : SharedFabric {
  ConnectedFabric(Rank ranks, double trunk, Hold hold, Wire::Next then = Wire::Next::at_once)
      : SharedFabric(ranks, trunk, hold), next(then) {}
  Wire wire(Place from, Place to, Bytes bytes) const override {
    Wire w = SharedFabric::wire(from, to, bytes);
    w.next = next;
    return w;
  }
  Wire::Next next;
};

/// Rank 1 takes messages of two ranks at half speed until 8. In order, rank 2's would begin then; on a
/// connection of its own it has the other half. The last one has that of the first.
TEST(Contention, ConnectionsShareTheirPort) {
  const std::vector<Script> scripts = {{{send(1, 4), send(2, 4), send(1, 4)}},
                                       {{receive(0, 4), receive(3, 4), receive(0, 4)}},
                                       {{receive(0, 4)}},
                                       {{send(1, 4)}}};
  expect_finish(scripts, SharedFabric(4, 10, Hold::injection), {0, 16, 12, 0});
  expect_finish(scripts, ConnectedFabric(4, 10, Hold::injection), {0, 12, 8, 0});
}

/// Rank 0's first message goes at half speed, as rank 3 sends to its receiver, too. It holds its port for the
/// 4 that it would take alone; then what is left of it, at half speed, shares the port's link with the
/// second, until 8; of that, 2 are left.
TEST(Contention, WhatIsSlowedFurtherOnHoldsNobodyUp) {
  const std::vector<Script> scripts = {
      {{send(1, 4), send(2, 4)}}, {{receive(0, 4), receive(3, 4)}}, {{receive(0, 4)}}, {{send(1, 4)}}};
  expect_finish(scripts, SharedFabric(4, 10, Hold::injection), {0, 8, 12, 0});
  expect_finish(scripts, ConnectedFabric(4, 10, Hold::injection, Wire::Next::when_due), {0, 8, 10, 0});
}

TEST(Contention, Incast) {
  const std::vector<Script> incast = {
      {{receive(1, 4), receive(2, 4), receive(3, 4)}}, {{send(0, 4)}}, {{send(0, 4)}}, {{send(0, 4)}}};
  expect_finish(incast, SharedFabric(4, 10, Hold::injection),
                {12, 0, 0, 0});  // all share the receiver's link
  expect_finish(incast, SharedFabric(4, 10, Hold::delivery), {12, 4, 8, 12});  // one after the other
}

TEST(Contention, FlowsSlowerThanTheirLinksLeaveRoom) {
  // Each takes half of the trunk at most, so two do not disturb each other.
  expect_finish({{{send(1, 6)}}, {{receive(0, 6)}}, {{send(3, 6)}}, {{receive(2, 6)}}},
                SharedFabric(4, 1, Hold::injection, 0, 2), {0, 12, 0, 12});
}

TEST(Contention, WhatTheNetworkReducesCrossesALinkOnce) {
  // Rank 1 waits for 6 bytes of rank 2, then its own come to rank 0 at 12, as one with those of 2 and 3. As
  // messages of their own they would share rank 0's link: 6 + 3 * 6 at the least.
  Schedule s{4, 1, 2, [](std::int64_t i, Step& step) {
               i == 0 ? step.send(2, 1, {}) : step.reduce_in_network({0, 4}, 0, {});
             }};
  for (const Hold hold : {Hold::delivery, Hold::injection})
    for (const ContendedEngine& engine : contended_engines()) {
      const SharedFabric fabric(4, 2, hold);
      const Result r = engine.play(*program(s, Layout::equal(Bytes(6), 1)), fabric);
      EXPECT_EQ(r.links.back().bytes, Bytes(12));  // the message to rank 1, and the sum
      EXPECT_NEAR(r.ranks[0].finish.value, 12, 1e-7);
      EXPECT_EQ(r.messages, 4);
    }
}

TEST(Contention, UplinksOfRacksAreSharedMaxMin) {
  // Four flows over an uplink of 2, and four the other way: half speed each, and each way for itself.
  std::vector<Script> both;
  for (Rank r = 0; r < 8; ++r) both.push_back({{send((r + 4) % 8, 6), receive((r + 4) % 8, 6)}});
  expect_finish(both, RackFabric(8, 2), std::vector<double>(8, 12));
  // Two jobs on an uplink of 1.5: 0.5 each until one is through at 6; the other has 3 of 6 bytes left.
  expect_finish({{{send(3, 6)}},
                 {{send(4, 3)}},
                 {{send(5, 3)}},
                 {{receive(0, 6)}},
                 {{receive(1, 3)}},
                 {{receive(2, 3)}}},
                RackFabric(6, 1.5), {0, 0, 0, 9, 6, 6});
}

TEST(Contention, IncastBehindAnUplink) {
  // Two flows into rank 3 and one into rank 4.
  const std::vector<Script> incast = {{{send(3, 6)}},    {{send(3, 6)}},
                                      {{send(4, 6)}},    {{receive(0, 6), receive(1, 6)}},
                                      {{receive(2, 6)}}, {}};
  expect_finish(incast, RackFabric(6, 2), {0, 0, 0, 12, 6});      // 0.5, 0.5 and 1
  expect_finish(incast, RackFabric(6, 1.8), {0, 0, 0, 12, 7.5});  // 0.5, 0.5 and what is left: 0.8
  expect_finish(incast, RackFabric(6, 1.2), {0, 0, 0, 15, 15});   // 0.4 each
}

/// Rank 0 to the other rack, over an uplink that rank 1 uses for rank 7.
const std::vector<Script> multicast_and_message = {
    {{multicast({4, 3}, 10)}}, {{send(7, 6)}},   {}, {}, {{receive(0, 10)}}, {{receive(0, 10)}},
    {{receive(0, 10)}},        {{receive(1, 6)}}};

TEST(Contention, AMulticastSharesEveryLinkOfItsTreeOnce) {
  // An uplink of 1: half speed for both until rank 1's 6 bytes are through at 12; the multicast has 4 of its
  // 10 left. All members receive at its pace.
  expect_finish(multicast_and_message, RackFabric(8, 1), {0, 0, 0, 0, 16, 16, 16, 12});
  // A member whose own link is busy slows them all: rank 1 sends 4 bytes to rank 6, half speed until 8, then
  // 6 left.
  expect_finish({{{multicast({4, 3}, 10)}},
                 {{send(6, 4)}},
                 {},
                 {},
                 {{receive(0, 10)}},
                 {{receive(0, 10)}},
                 {{receive(0, 10), receive(1, 4)}},
                 {}},
                RackFabric(8, 2), {0, 0, 0, 0, 14, 14, 14, 0});
  // Alone it takes its bytes' time, and crosses the uplink once.
  Written program({{{multicast({4, 4}, 10)}},
                   {},
                   {},
                   {},
                   {{receive(0, 10)}},
                   {{receive(0, 10)}},
                   {{receive(0, 10)}},
                   {{receive(0, 10)}}});
  const RackFabric fabric(8, 1);
  for (const ContendedEngine& engine : contended_engines()) {
    const Result alone = engine.play(program, fabric);
    EXPECT_NEAR(alone.time.value, 10, 1e-7) << engine.name;
    EXPECT_EQ(alone.links[16].bytes, Bytes(10)) << engine.name;
  }
}

/// Two bytes of header go with every message that is multicast.
class HeaderRacks : public RackFabric {
 public:
  using RackFabric::RackFabric;
  Switched switched(Switching, Place from, Place to, Bytes bytes) const override {
    return {wire(from, to, bytes), bytes + Bytes(2)};
  }
};

TEST(Contention, HeadersOfAMulticastTakeTheirShareOfItsLinks) {
  // As above: half speed for both until rank 1's 6 bytes are through at 12, 6 of the 12 are left.
  expect_finish(multicast_and_message, HeaderRacks(8, 1), {0, 0, 0, 0, 18, 18, 18, 12});
}

TEST(Contention, LinksAndBottleneck) {
  const SharedFabric fabric(4, 1, Hold::delivery);
  Written program({{{send(1, 6)}}, {{receive(0, 6)}}, {{send(3, 6)}}, {{receive(2, 6)}}});
  for (const ContendedEngine& engine : contended_engines()) {
    const Result r = engine.play(program, fabric);
    EXPECT_EQ(r.links.back().bytes, Bytes(12)) << engine.name;
    EXPECT_EQ(bottleneck(r, fabric).name, "trunk") << engine.name;
    EXPECT_NEAR(bottleneck(r, fabric).busy, 1, 1e-9) << engine.name;
  }
}

TEST(Contention, NeverFasterThanTheCriticalPathAndTheSameByEveryEngine) {
  testing::EachOrOneIn tried(7, 2);
  for (const Hold hold : {Hold::delivery, Hold::injection})
    for (const Case& which : cases())
      for (const Rank ranks : {2, 3, 8, 13}) {
        if (!tried()) continue;
        const SharedFabric fabric(ranks, 2, hold, 0.5);
        const Schedule schedule = which.make(ranks);
        const Layout layout = Layout::equal(Bytes(100), schedule.blocks);
        const double path = critical_path(schedule, layout, fabric).time.value;
        double first = 0;
        for (const ContendedEngine& engine : contended_engines()) {
          const double time = engine.play(*program(schedule, layout), fabric).time.value;
          if (first == 0) first = time;
          EXPECT_GE(time, path * (1 - 1e-7)) << engine.name << ", " << which.name << ", " << ranks;
          EXPECT_NEAR(time, first, 1e-7 * first) << engine.name << ", " << which.name << ", " << ranks;
        }
      }
}

}  // namespace
}  // namespace collcast
