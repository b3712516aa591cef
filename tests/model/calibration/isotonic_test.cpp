// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/isotonic.hpp"

#include <gtest/gtest.h>

#include <random>

namespace collcast {
namespace {

Samples points_of(const std::vector<std::pair<double, double>>& points) {
  Samples all;
  for (const auto& [bytes, us] : points) all.push_back({Bytes(bytes), Seconds(us * 1e-6)});
  return all;
}

TEST(Isotonic, ATableThatGrowsStays) {
  const Samples samples = points_of({{1, 1}, {2, 1}, {4, 1.5}, {8, 9}});
  const Samples grown = isotonic(samples);
  for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(grown[i].time, samples[i].time);
}

/// Times 4 and 2 have the weights 1/16 and 1/4: (4/16 + 2/4) / (5/16) = 2.4.
TEST(Isotonic, TwoThatFallMeetByTheirWeights) {
  const Samples grown = isotonic(points_of({{1, 1}, {2, 4}, {4, 2}, {8, 3}}));
  EXPECT_NEAR(grown[1].time.value, 2.4e-6, 1e-12);
  EXPECT_NEAR(grown[2].time.value, 2.4e-6, 1e-12);
  EXPECT_NEAR(grown[3].time.value, 3e-6, 1e-12);
}

/// 100 bytes take 1 us on the links, so that 100 and 200 bytes at 5 us each are 4 and 3 us beyond them: with
/// equal weights 3.5 each.
TEST(Isotonic, BytesTakeAsLongAsOnTheLinks) {
  const Samples grown = isotonic(points_of({{100, 5}, {200, 5}}), SecondsPerByte(1e-8));
  EXPECT_NEAR(grown[0].time.value, 4.5e-6, 1e-12);
  EXPECT_NEAR(grown[1].time.value, 5.5e-6, 1e-12);
}

TEST(Isotonic, SamplesOfOneSizeMoveTogether) {
  const Samples grown = isotonic(points_of({{1, 2}, {1, 2.2}, {2, 1}, {2, 1.1}}));
  EXPECT_NEAR(grown[1].time / grown[0].time, 1.1, 1e-9);
  EXPECT_NEAR(grown[3].time / grown[2].time, 1.1, 1e-9);
  EXPECT_LT(grown[0].time, Seconds(2e-6));
  EXPECT_GT(grown[2].time, Seconds(1e-6));
}

TEST(Isotonic, WhatComesOutGrows) {
  std::mt19937 draw(1);
  for (int round = 0; round < 200; ++round) {
    Samples samples;
    const SecondsPerByte links(1e-9 * (round % 3));
    for (int i = 0; i < 20; ++i) samples.push_back({Bytes(64.0 * i), Seconds(1e-6 * (1 + draw() % 100))});
    const Samples grown = isotonic(samples, links);
    for (std::size_t i = 1; i < grown.size(); ++i)
      EXPECT_GE((grown[i].time - grown[i - 1].time).value, (Bytes(64) * links).value - 1e-15);
  }
}

}  // namespace
}  // namespace collcast
