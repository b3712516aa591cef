// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/star.hpp"

#include "engines/contention/contention.hpp"
#include "support.hpp"
#include "tests/engines/player/scripts.hpp"

namespace collcast {
namespace {

using namespace testing;
using enum Star::Way;

/// A lone message of n bytes takes 100 us and 10 ns per byte.
Star star(Star::Way way, int peers, int window, double bytes) {
  Star s{way, peers, window, Bytes(bytes), {}, Seconds(100e-6 + bytes * 10e-9), SecondsPerByte(10e-9)};
  return s;
}

StarCosts costs(double overhead, double receive_overhead, double gap, double port = 10e-9) {
  return {Seconds(overhead), Seconds(receive_overhead), Seconds(gap), SecondsPerByte(port)};
}

double us(const Star& s, const StarCosts& c) {
  return star_time(s, c).value * 1e6;
}

TEST(Star, AloneItTakesWhatALoneMessageTakes) {
  for (const Star::Way way : {out, in, pairs})
    EXPECT_NEAR(us(star(way, 1, 1, 1000), costs(7e-6, 5e-6, 3e-6)), 110, 1e-9);
}

/// Also where its stream is slower behind a slow port.
TEST(Star, ASlowPortHoldsTheNextMessage) {
  EXPECT_NEAR(us(star(out, 1, 1, 1000), costs(0, 0, 0, 30e-9)), 110, 1e-9);
  EXPECT_NEAR(us(star(out, 1, 3, 1000), costs(0, 0, 0, 30e-9)), 110 + 2 * 30, 1e-9);
}

TEST(Star, ByHand) {
  // The fourth leaves 3 overheads, or 3 times gap and bytes, after the first.
  EXPECT_NEAR(us(star(out, 1, 4, 0), costs(7e-6, 5e-6, 3e-6)), 100 + 3 * 7, 1e-9);
  EXPECT_NEAR(us(star(out, 4, 1, 0), costs(2e-6, 5e-6, 3e-6)), 100 + 3 * 3, 1e-9);
  EXPECT_NEAR(us(star(out, 1, 4, 0), costs(2e-6, 5e-6, 3e-6)), 100 + 3 * 5,
              1e-9);  // one receiver pays for all
  EXPECT_NEAR(us(star(out, 2, 2, 1000), costs(7e-6, 0, 3e-6)), 110 + 3 * 13, 1e-9);
  // Three arrive at once: the port takes one after the other, the receiver pays for the last when it is
  // there, or for all from the first on.
  EXPECT_NEAR(us(star(in, 3, 1, 1000), costs(7e-6, 5e-6, 3e-6)), 110 + 2 * 10, 1e-9);
  EXPECT_NEAR(us(star(in, 3, 1, 0), costs(7e-6, 5e-6, 3e-6)), 100 + 2 * 5, 1e-9);
  // A port of twice the stream's pace takes two streams at once.
  EXPECT_NEAR(us(star(in, 2, 1, 1000), costs(0, 0, 0, 5e-9)), 110, 1e-9);
  EXPECT_NEAR(us(star(in, 4, 1, 1000), costs(0, 0, 0, 5e-9)), 100 + 20, 1e-9);
  EXPECT_NEAR(us(star(out, 1, 4, 1000), costs(0, 0, 0, 5e-9)), 100 + 40, 1e-9);
  // Both sides post 30 times 4 us before they take what came at 100 us: 120, and 30 times 5 us.
  EXPECT_NEAR(us(star(both, 1, 30, 0), costs(4e-6, 5e-6, 0)), 120 + 30 * 5, 1e-9);
  // Three ranks behind one port, which holds each message for gap and bytes.
  EXPECT_NEAR(us(star(pairs, 3, 1, 0), costs(7e-6, 5e-6, 3e-6)), 100 + 2 * 3, 1e-9);
}

/// When the engine with contention has the last of the same messages there. [us]
double played(const LogGP& machine, int peers, double bytes, bool fan_in) {
  std::vector<Script> scripts(static_cast<std::size_t>(peers) + 1, Script{{}});
  for (std::uint64_t tag = 0; tag < 2; ++tag)
    for (int p = 1; p <= peers; ++p) {
      Script &hub = scripts[0], &peer = scripts[static_cast<std::size_t>(p)];
      hub[0].push_back(fan_in ? receive(p, bytes, tag) : send(p, bytes, tag));
      peer[0].push_back(fan_in ? send(0, bytes, tag) : receive(0, bytes, tag));
    }
  Written program(std::move(scripts));
  Seconds last;
  for (const auto& rank : contend(program, UniformFabric(machine, peers + 1)).ranks)
    last = std::max(last, rank.finish);
  return last.value * 1e6;
}

/// The engine says the same of the same messages. Streams that come in at once share the port there, so that
/// costs that are paid one after the other are paid later: without them it is the same as well.
TEST(Star, AgreesWithTheEngine) {
  LogGP machine;
  machine.G = SecondsPerByte(10e-9);
  for (const double bytes : {0., 100., 1000., 50000.})
    for (const int peers : {1, 3, 6}) {
      machine.L = Seconds(90e-6 + 10e-9), machine.o = Seconds(5e-6), machine.g = Seconds(8e-6 + 10e-9);
      EXPECT_NEAR(played(machine, peers, bytes, false),
                  us(star(out, peers, 2, bytes), costs(5e-6, 5e-6, 8e-6)), 1e-6);
      machine.L = Seconds(100e-6 + 10e-9), machine.o = Seconds(0), machine.g = Seconds(10e-9);
      EXPECT_NEAR(played(machine, peers, bytes, true), us(star(in, peers, 2, bytes), costs(0, 0, 0)), 1e-6);
    }
}

/// What collcast measures: bursts to one, and to and from several.
std::vector<Star> measured(const StarCosts& truth, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<Star> all;
  for (const double bytes : {1., 1000., 8000., 64000.})
    for (const auto& [way, peers, window] : std::vector<std::tuple<Star::Way, int, int>>{{out, 1, 1},
                                                                                         {out, 1, 8},
                                                                                         {both, 1, 8},
                                                                                         {out, 3, 1},
                                                                                         {out, 3, 4},
                                                                                         {in, 3, 1},
                                                                                         {in, 3, 4},
                                                                                         {both, 3, 4}})
      all.push_back(star(way, peers, window, bytes));
  for (Star& s : all) s.time = (1 + noise * normal(random)) * star_time(s, truth);
  return all;
}

TEST(StarFit, KnownCostsComeBack) {
  const StarCosts expected = costs(1e-6, 1e-6, 0, 12e-9);
  for (const StarCosts& truth :
       {costs(7e-6, 4e-6, 2e-6), costs(4e-6, 9e-6, 1e-6), costs(6e-6, 6e-6, 0, 5e-9)})
    for (unsigned seed = 0; seed < 4; ++seed) {
      const double noise = seed == 0 ? 0 : 0.01;
      const StarFit fit = fit_stars(measured(truth, noise, seed), expected);
      const double off = noise == 0 ? 0.05e-6 : 1e-6;
      EXPECT_NEAR(fit.overhead.value, truth.overhead.value, off) << seed;
      EXPECT_NEAR(fit.receive_overhead.value, truth.receive_overhead.value, off) << seed;
      EXPECT_NEAR(fit.gap.value, truth.gap.value, 2 * off) << seed;
      EXPECT_NEAR(fit.port.value, truth.port.value, (noise == 0 ? 0.005 : 0.03) * truth.port.value) << seed;
      EXPECT_TRUE(fit.overhead.determined && fit.receive_overhead.determined && fit.port.determined) << seed;
      EXPECT_LT(fit.mean_residual, 0.002 + noise);
      EXPECT_LT(fit.exchange, 1.04);
    }
}

/// A gap that is longer than the overheads hides them: they stay what was expected, or less.
TEST(StarFit, WhatIsHiddenIsNotDetermined) {
  const StarFit fit = fit_stars(measured(costs(2e-6, 1e-6, 20e-6), 0.005, 1), costs(3e-6, 90e-6, 0));
  EXPECT_TRUE(fit.gap.determined);
  EXPECT_NEAR(fit.gap.value, 20e-6, 1e-6);
  EXPECT_LE(fit.receive_overhead.value, 22e-6);
}

/// One pair does not tell its pace from the port's.
TEST(StarFit, OnePairSaysNothingOfThePort) {
  std::vector<Star> burst;
  for (const double bytes : {1., 64., 1000.})
    for (const int window : {1, 4, 16}) {
      burst.push_back(star(out, 1, window, bytes));
      burst.back().time = star_time(burst.back(), costs(5e-6, 1e-6, 0, 2e-9));
    }
  const StarFit fit = fit_stars(burst, costs(0, 0, 0, 4e-9));
  EXPECT_FALSE(fit.port.determined);
  EXPECT_EQ(fit.port.value, 4e-9);
  EXPECT_NEAR(fit.overhead.value, 5e-6, 0.1e-6);
}

TEST(StarFit, PortsThatCarryOneWayAtATime) {
  std::vector<Star> all = measured(costs(5e-6, 4e-6, 2e-6), 0, 0);
  for (Star& s : all)
    if (s.way == both) s.time = s.lone + 2 * (s.time - s.lone);
  EXPECT_GT(fit_stars(all, costs(0, 0, 0)).exchange, 1.5);
}

}  // namespace
}  // namespace collcast
