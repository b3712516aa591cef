// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "model/lowering.hpp"
#include "tests/engines/contended_engines.hpp"
#include "tests/engines/player/schedules.hpp"
#include "tests/engines/player/scripts.hpp"

namespace collcast {
namespace {

using namespace testing;

/// Writes down all that it is told.
struct Notes : Observer {
  void done(const Interval& i) override { intervals.push_back(i); }
  void stepped(const Step& s) override { steps.push_back(s); }
  void delivered(const Delivery& d) override { deliveries.push_back(d); }
  void used(const Use& u) override { uses.push_back(u); }
  std::vector<Interval> intervals;
  std::vector<Step> steps;
  std::vector<Delivery> deliveries;
  std::vector<Use> uses;
};

using Play = std::function<Result(Program&, const Fabric&, const PlayOptions&)>;

std::map<std::string, Play> players() {
  return {
      {"path", [](Program& p, const Fabric& f, const PlayOptions& o) { return play(p, f, o); }},
      {"contention", [](Program& p, const Fabric& f, const PlayOptions& o) { return contend(p, f, o); }},
#ifdef COLLCAST_HAS_SIMGRID
      {"simgrid in a child",
       [](Program& p, const Fabric& f, const PlayOptions& o) { return simulate(p, f, o); }},
#endif
  };
}

/// A ring of 4 with blocks of 3 bytes; alpha = 1 s, beta = 2 s/B, gamma = 0.5 s/B: a message takes
/// 1 + 3 * 2 = 7 s, its reduction 1.5 s. Steps 0 to 2 reduce and take 8.5 s, steps 3 to 5 take 7 s: they end
/// at 8.5, 17, 25.5, 32.5, 39.5 and 46.5 s on every rank.
constexpr double ends[] = {8.5, 17, 25.5, 32.5, 39.5, 46.5};
double begins(std::size_t step) {
  return step == 0 ? 0 : ends[step - 1];
}

struct RingOfFour {
  UniformFabric fabric{AlphaBetaGamma{Seconds(1), SecondsPerByte(2), SecondsPerByte(0.5)}, 4};
  Notes notes;
  Result result;
  explicit RingOfFour(const Play& play) {
    const Schedule schedule = ring(4);
    PlayOptions options;
    options.observer = &notes;
    result = play(*program(schedule, Layout::equal(Bytes(12), schedule.blocks)), fabric, options);
  }
};

TEST(Observer, SeesTheStepsOfARingWhereTheyStand) {
  for (const auto& [name, play] : players()) {
    const RingOfFour run(play);
    EXPECT_DOUBLE_EQ(run.result.time.value, 46.5) << name;
    ASSERT_EQ(run.notes.steps.size(), 24u) << name;
    for (const Observer::Step& s : run.notes.steps) {
      ASSERT_TRUE(s.number >= 0 && s.number < 6) << name;
      EXPECT_NEAR(s.begin.value, begins(static_cast<std::size_t>(s.number)), 1e-9) << name;
      EXPECT_NEAR(s.end.value, ends[s.number], 1e-9) << name;
      EXPECT_EQ(s.track, 0);
    }
  }
}

TEST(Observer, SeesEveryMessageFromItsFirstByteToItsReduction) {
  for (const auto& [name, play] : players()) {
    const RingOfFour run(play);
    ASSERT_EQ(run.notes.deliveries.size(), 24u) << name;
    std::map<Rank, std::size_t> step;
    for (const Observer::Delivery& d : run.notes.deliveries) {
      const std::size_t s = step[d.from.rank]++;
      EXPECT_EQ(d.to.rank, (d.from.rank + 1) % 4) << name;
      EXPECT_EQ(d.bytes, Bytes(3));
      EXPECT_EQ(d.combine, s < 3 ? Combine::reduce : Combine::copy);
      EXPECT_NEAR(d.left.value, begins(s), 1e-9) << name;
      EXPECT_NEAR(d.first.value, begins(s) + 1, 1e-9) << name;
      EXPECT_NEAR(d.arrived.value, begins(s) + 7, 1e-9) << name;
      EXPECT_NEAR(d.done.value, ends[s], 1e-9) << name;
    }
  }
}

TEST(Observer, WhatItSeesOfPortsAndLinksAddsUpToTheResult) {
  for (const auto& [name, play] : players()) {
    const RingOfFour run(play);
    const bool links = !run.result.links.empty();
    const auto& all = links ? run.result.links : run.result.ports;
    std::vector<Result::Use> seen(all.size());
    for (const Observer::Use& u : run.notes.uses) {
      if (u.link != links) continue;
      seen[u.which].bytes += u.bytes;
      seen[u.which].busy += u.busy;
      EXPECT_LE(u.busy.value, (u.end - u.begin).value + 1e-9) << name;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_DOUBLE_EQ(seen[i].bytes.value, all[i].bytes.value) << name;
      EXPECT_NEAR(seen[i].busy.value, all[i].busy.value, 1e-9) << name;
    }
    EXPECT_EQ(all[0].bytes, Bytes(18)) << name;  // 6 messages of 3 bytes
  }
}

/// Rank 0 computes 2 s, then sends 4 bytes (1 + 4 * 2 = 9 s); a strand on track 3 computes 5 s meanwhile: the
/// processor is free for it after 2 s.
TEST(Observer, SeesComputationTracksAndPeers) {
  Line aside = start({{compute(5)}}, 7, 1);
  aside.op.count = 3;
  aside.op.bytes = Bytes(123);
  Written program({{{compute(2), aside}, {send(1, 4)}, {wait(1)}}, {{receive(0, 4)}}});
  const UniformFabric fabric(AlphaBetaGamma{Seconds(1), SecondsPerByte(2), {}}, 2);
  Notes first, second;
  Observers both({&first, &second});
  PlayOptions options;
  options.observer = &both;
  play(program, fabric, options);
  std::vector<std::string> seen;
  for (const Observer::Interval& i : first.intervals)
    seen.push_back(std::to_string(i.rank) + " " + std::to_string(static_cast<int>(i.kind)) + " track " +
                   std::to_string(i.track) + " peer " + std::to_string(i.peer) + " bytes " +
                   std::to_string(std::lround(i.bytes.value)) + ": " +
                   std::to_string(std::lround(i.begin.value)) + "-" +
                   std::to_string(std::lround(i.end.value)));
  const auto kind = [](Op::Kind k) { return std::to_string(static_cast<int>(k)); };
  const std::vector<std::string> expected = {"0 " + kind(Op::Kind::compute) + " track 0 peer -1 bytes 0: 0-2",
                                             "0 " + kind(Op::Kind::compute) + " track 3 peer -1 bytes 0: 2-7",
                                             "0 " + kind(Op::Kind::start) + " track 3 peer -1 bytes 123: 0-7",
                                             "0 " + kind(Op::Kind::send) + " track 0 peer 1 bytes 4: 2-11",
                                             "1 " + kind(Op::Kind::receive) + " track 0 peer 0 bytes 4: 0-11",
                                             "0 " + kind(Op::Kind::wait) + " track 0 peer -1 bytes 0: 11-11"};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(second.intervals.size(), first.intervals.size());
  EXPECT_TRUE(first.steps.empty());  // no schedule, no steps
}

}  // namespace
}  // namespace collcast
