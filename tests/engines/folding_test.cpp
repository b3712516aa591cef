// SPDX-License-Identifier: Apache-2.0
// The critical path that leaves out steps which repeat is the one that reads them all, for every algorithm of
// the catalogue on machines that are alike throughout, hierarchical, and shared by the ranks of a node.
#include "model/steady_state.hpp"

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "model/critical_path.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/error.hpp"
#include "tests/names.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

struct Case {
  const char* platform;
  Rank ranks;
  Placement placement = Placement::block;
};

/// Whole nodes and partial ones, counts that do not divide, ranks dealt out.
const Case cases[] = {{"flat", 23},   {"flat", 24},     {"flat", 64},
                      {"summit", 24}, {"summit", 41},   {"summit", 30, Placement::round_robin},
                      {"dgx-1v", 8},  {"fugaku", 27},   {"testbed-racks", 8},
                      {"abci-v", 20}, {"frontier", 40}, {"abci-a", 28}};

Schedule without_repeats(const Schedule& a) {
  return {a.ranks, a.blocks, a.steps, [rule = a.rule](std::int64_t s, Step& step) { rule(s, step); },
          a.channels};
}

class Fold : public ::testing::TestWithParam<const Algorithm*> {};

/// One rank stands for all where they do alike and all wires are alike.
void expect_alike(const Algorithm& a, const Call& c, const Fabric& fabric) {
  const Schedule schedule = a.schedule(c);
  if (!symmetric_rule(schedule)) return;
  const Layout sizes = layout(a, c, schedule);
  const Schedule whole = without_repeats(schedule);
  const PathResult x = critical_path(schedule, sizes, fabric), y = critical_path(whole, sizes, fabric);
  const double scale = 1e-12 * y.time.value;
  ASSERT_NEAR(x.time.value, y.time.value, scale) << full_name(a) << ", " << c.ranks << " ranks";
  ASSERT_NEAR(x.reducing.value, y.reducing.value, scale) << full_name(a);
  ASSERT_EQ(x.finish.size(), y.finish.size());
  for (std::size_t r = 0; r < x.finish.size(); ++r)
    ASSERT_NEAR(x.finish[r].value, y.finish[r].value, scale) << full_name(a) << ", rank " << r;
  ASSERT_EQ(x.busy.size(), y.busy.size());
  for (std::size_t i = 0; i < x.busy.size(); ++i)
    ASSERT_NEAR(x.busy[i].value, y.busy[i].value, scale) << full_name(a) << ", port " << i;
}

void expect_same(const Algorithm& a, const Call& c, const Fabric& fabric, const std::string& where) {
  const Schedule folded = a.schedule(c);
  if (repeats(folded).empty()) return;
  const Schedule whole = without_repeats(folded);
  const Layout sizes = layout(a, c, folded);
  std::vector<Seconds> entered(static_cast<std::size_t>(c.ranks));
  // Half of the time late: what has come even steps along is overtaken by it, or overtakes it.
  const Seconds half = CriticalPath(whole, sizes, fabric).run().time / 2;
  for (const Seconds late : {Seconds(0), Seconds(3e-6), half}) {
    entered.back() = late;
    const PathResult x = CriticalPath(folded, sizes, fabric).run(entered);
    const PathResult y = CriticalPath(whole, sizes, fabric).run(entered);
    const double scale = 1e-12 * y.time.value;
    ASSERT_NEAR(x.time.value, y.time.value, scale) << where;
    ASSERT_NEAR(x.reducing.value, y.reducing.value, scale) << where;
    for (std::size_t r = 0; r < x.finish.size(); ++r)
      ASSERT_NEAR(x.finish[r].value, y.finish[r].value, scale) << where << ", rank " << r;
    for (std::size_t p = 0; p < x.busy.size(); ++p)
      ASSERT_NEAR(x.busy[p].value, y.busy[p].value, scale) << where << ", port " << p;
    if (late > Seconds(0)) continue;
    // A limit beyond the time changes nothing, one before it is passed.
    const Seconds beyond = (1 + 1e-9) * y.time;
    ASSERT_EQ(critical_path(folded, sizes, fabric, {}, beyond).time,
              critical_path(folded, sizes, fabric).time)
        << where;
    if (y.time > Seconds(0)) {
      ASSERT_GT(critical_path(folded, sizes, fabric, {}, half).time, half) << where;
    }
  }
}

TEST_P(Fold, IsTheWholeReading) {
  const Algorithm& a = *GetParam();
  testing::EachOrOneIn tried(9);
  for (const Case& at : cases) {
    if (!a.supports(at.ranks)) continue;
    const Machine machine(load_platform(at.platform), at.ranks, at.placement);
    for (const Rank root : {0, definition(a.collective).rooted ? at.ranks - 2 : 0})
      for (const Block segments : {1, 9, 100})
        for (const Bytes message : {Bytes(8), Bytes(3e7)}) {
          if (!tried()) continue;
          Call c{.ranks = at.ranks, .root = root, .message = message};
          if (a.segmented) c.segments = segments;
          if (a.channels) c.channels = 3;
          if (a.ranks_per_node && at.ranks % 6 == 0) c.ranks_per_node = 6;
          try {
            expect_same(a, c, machine, full_name(a) + " on " + at.platform);
            expect_alike(a, c, machine);
          } catch (const InputError&) {  // the machine cannot play it
          }
          if (!a.segmented && segments == 1) break;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Fold, whole_catalogue(), test_name);

/// A ring in which one rank's messages are slower: its pace goes round before the steps repeat.
class SlowSpot {
 public:
  explicit SlowSpot(Rank ranks)
      : even_({Seconds(1e-6), SecondsPerByte(1e-9), SecondsPerByte(1e-10)}, ranks) {}
  Wire wire(Place from, Place to, Bytes bytes) const {
    Wire w = even_.wire(from, to, bytes);
    if (from.rank == 5) w.latency = w.latency * 1.0001;
    return w;
  }
  SecondsPerByte gamma(Place p) const { return even_.gamma(p); }
  const MessageProtocol& protocol() const { return even_.protocol(); }
  Port ports() const { return even_.ports(); }
  Port queues() const { return even_.queues(); }

 private:
  UniformNetwork even_;
};

TEST(Folding, WaitsUntilASlowLinkHasItsWay) {
  const Algorithm& ring = algorithm(Collective::allreduce, "ring");
  const Call c{.ranks = 300, .message = Bytes(3e5)};
  const Schedule folded = ring.schedule(c);
  const Schedule whole = without_repeats(folded);
  const Layout sizes = layout(ring, c, folded);
  const SlowSpot network(c.ranks);
  const double time = critical_path(whole, sizes, network).time.value;
  EXPECT_NEAR(critical_path(folded, sizes, network).time.value, time, 1e-12 * time);
}

/// Steps of the schedule that a reading asks for.
template <class Network>
int steps_read(const Schedule& schedule, const Layout& sizes, const Network& network) {
  Schedule counted = schedule;
  int steps = 0;
  counted.rule = [&](std::int64_t s, Step& step) { ++steps, schedule.rule(s, step); };
  counted = repeating(counted, {repeats(schedule).begin(), repeats(schedule).end()});
  critical_path(counted, sizes, network);
  return steps;
}

TEST(Folding, ReadsFewStepsOfMany) {
  const Algorithm& ring = algorithm(Collective::allreduce, "ring");
  const Call c{.ranks = 2000, .message = Bytes(1e6)};
  const Schedule schedule = ring.schedule(c);
  const AlphaBetaGamma machine{Seconds(1e-6), SecondsPerByte(1e-9), SecondsPerByte(1e-10)};
  const Layout sizes = layout(ring, c, schedule);
  EXPECT_LT(steps_read(schedule, sizes, UniformNetwork(machine, c.ranks)), 20);
  const PathResult path = critical_path(schedule, sizes, UniformNetwork(machine, c.ranks));
  // 1999 steps each way of 500 bytes: 1 us + 0.5 us, and 0.05 us of reduction on the way there.
  EXPECT_NEAR(path.time.value, 1999 * (2 * 1.5e-6 + 0.05e-6), 1e-12 * path.time.value);
}

/// GPUs of a node pass segments on faster than nodes do: ranks of a tree have paces of their own; a reduction
/// in the switches is at its NIC every second time.
TEST(Folding, TakesPacesAndCyclesAsTheyAre) {
  const Machine machine(load_platform("summit"), 240);
  for (const char* name : {"pipelined-tree", "in-network"}) {
    const Algorithm& a = algorithm(Collective::allreduce, name);
    const Call c{.ranks = 240, .message = Bytes(1e9), .segments = 2000};
    const Schedule schedule = a.schedule(c);
    EXPECT_LT(steps_read(schedule, layout(a, c, schedule), machine), 150)
        << name << ", of " << schedule.steps;
  }
}

/// A wave goes round the rails of nodes whose hops differ, and does not come again within so many steps.
TEST(Folding, FollowsWavesRoundRings) {
  const Machine machine(load_platform("summit"), 2400);
  const Algorithm& a = algorithm(Collective::allreduce, "hierarchical-ring");
  const Call c{.ranks = 2400, .message = Bytes(1e8), .ranks_per_node = 6};
  const Schedule schedule = a.schedule(c);
  EXPECT_LT(steps_read(schedule, layout(a, c, schedule), machine), 60) << "of " << schedule.steps;
}

Period period(std::vector<double> before, std::vector<double> after, std::vector<std::uint32_t> origin) {
  Period p{{Seconds()}, {Seconds()}, {0}, {}, static_cast<std::uint32_t>(before.size())};
  for (const double t : before) p.before.emplace_back(t);
  for (const double t : after) p.after.emplace_back(t);
  p.origin.insert(p.origin.end(), origin.begin(), origin.end());
  return p;
}

/// Three ranks of a ring hand on their times, with 1, 2 and 6 s on top: after three periods each has all of
/// it.
TEST(Extrapolation, TimesGoRoundRings) {
  const Period p = period({0, 10, 20}, {21, 2, 16}, {3, 1, 2});
  const Extrapolation one = extrapolate(p, 1);  // and one more: 16 + 1, 21 + 2, 2 + 6
  ASSERT_EQ(one.periods, 1);
  EXPECT_EQ(one.after, (std::vector{Seconds(0), Seconds(17), Seconds(23), Seconds(8)}));
  EXPECT_EQ(one.least, Seconds(23));
  EXPECT_EQ(extrapolate(p, 2).after, (std::vector{Seconds(0), Seconds(9), Seconds(19), Seconds(29)}));
}

/// The first takes 2 s a period, the second 3 s; it is 10 s behind, where the first wins: as long as it is
/// ahead, after period 10 with nothing to spare.
TEST(Extrapolation, EndsWhereARaceWouldBeLost) {
  Period p = period({10, 0}, {12, 3}, {1, 2});
  p.races = {{1, 2, Seconds(10)}};
  EXPECT_EQ(extrapolate(p, 7).periods, 7);
  EXPECT_EQ(extrapolate(p, 100).periods, 10);
  EXPECT_EQ(extrapolate(p, 100).least, Seconds(0 + 101 * 3));  // whoever wins
}

/// What the second is ahead by swings, as it gets the times of the ring's two places in turn.
TEST(Extrapolation, RacesAreWonOnAllPlacesOfARing) {
  Period p = period({0, 4}, {5, 1}, {2, 1});  // 1 s on top at each: 5 1, then 2 6
  p.races = {{2, 1, Seconds(4)}};             // 4 against 0, but then 1 against 5
  EXPECT_EQ(extrapolate(p, 9).periods, 0);
  p.races = {{2, 1, Seconds(9)}};  // 5 s ahead besides: 4, 9, 4, ...
  EXPECT_EQ(extrapolate(p, 9).periods, 9);
}

/// Of copies that a switch makes, too, no more are read than the limit asks for.
TEST(Limit, EndsMulticasts) {
  const Algorithm& a = algorithm(Collective::allgather, "multicast");
  const Call c{.ranks = 300, .message = Bytes(3e8)};
  const Schedule schedule = a.schedule(c);
  Schedule counted = schedule;
  int steps = 0;
  counted.rule = [&](std::int64_t s, Step& step) { ++steps, schedule.rule(s, step); };
  const Machine machine(load_platform("summit"), c.ranks);
  const Layout sizes = layout(a, c, schedule);
  const Seconds whole = critical_path(schedule, sizes, machine).time;
  EXPECT_GT(critical_path(counted, sizes, machine, {}, whole / 10).time, whole / 10);
  EXPECT_LT(steps, schedule.steps / 4);
}

}  // namespace
}  // namespace collcast
