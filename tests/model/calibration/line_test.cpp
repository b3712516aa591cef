// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

namespace collcast {
namespace {

using namespace testing;

double line(double n) {
  return 2e-6 + n * 1e-10;
}

TEST(Line, ExactWithoutNoise) {
  for (const Line& l : {least_absolute(table(line, 0, 1)), robust_line(table(line, 0, 1), 0.01)}) {
    EXPECT_NEAR(l.at_zero.value.value, 2e-6, 1e-15);
    EXPECT_NEAR(l.per_byte.value.value, 1e-10, 1e-19);
  }
}

/// Four of 23 times three times too long: the line stays.
TEST(Line, IgnoresOutliers) {
  Samples samples = table(line, 0.01, 2);
  for (const std::size_t i : {3u, 9u, 15u, 21u}) samples[i].time = 3 * samples[i].time;
  const Line l = robust_line(samples, 0.01);
  EXPECT_NEAR(l.at_zero.value.value, 2e-6, 3e-8);
  EXPECT_NEAR(l.per_byte.value.value, 1e-10, 3e-12);
}

/// Noise of 3 %: the true values lie within two deviations in about 95 of 100 tables.
TEST(Line, DeviationsAreHonest) {
  int fixed = 0, slope = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Line l = robust_line(table(line, 0.03, seed), 0.03);
    fixed += std::abs(l.at_zero.value.value - 2e-6) < 2 * l.at_zero.deviation.value;
    slope += std::abs(l.per_byte.value.value - 1e-10) < 2 * l.per_byte.deviation.value;
  }
  EXPECT_GE(fixed, 180);
  EXPECT_GE(slope, 180);
  EXPECT_LE(fixed, 199);
  EXPECT_LE(slope, 199);
}

/// Falling times cannot make bytes free of charge negative.
TEST(Line, NeverNegative) {
  const Samples falling = {
      {Bytes(1), Seconds(5e-6)}, {Bytes(1000), Seconds(4e-6)}, {Bytes(2000), Seconds(3e-6)}};
  const Line l = robust_line(falling, 0.01);
  EXPECT_EQ(l.per_byte.value.value, 0);
  EXPECT_GT(l.at_zero.value.value, 3e-6);
  EXPECT_LT(l.at_zero.value.value, 5e-6);
  const Samples steep = {{Bytes(1000), Seconds(1e-6)}, {Bytes(2000), Seconds(4e-6)}};
  EXPECT_EQ(robust_line(steep, 0.01).at_zero.value.value, 0);
}

TEST(Line, LeastSlope) {
  const Line l = robust_line(table(line, 0, 1), 0.01, SecondsPerByte(2e-10));
  EXPECT_EQ(l.per_byte.value.value, 2e-10);
}

TEST(Line, OneSample) {
  const Line l = robust_line({{Bytes(8), Seconds(3e-6)}}, 0.01);
  EXPECT_NEAR(l.at_zero.value.value, 3e-6, 1e-12);
  EXPECT_NEAR(l.at_zero.deviation.value, 3e-8, 1e-9);
}

/// What its last digit explains is no residual.
TEST(Line, Rounding) {
  const Line l{{Seconds(1.04e-6), {}}, {}};
  EXPECT_EQ(residual(l, {Bytes(1), Seconds(1e-6), 0.05}), 0);
  EXPECT_NEAR(residual(l, {Bytes(1), Seconds(1e-6), 0.01}), 0.03, 1e-12);
}

}  // namespace
}  // namespace collcast
