// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace collcast::accuracy {
namespace {

Pair pair(double predicted, double measured) {
  return {Seconds(predicted), Seconds(0.9 * predicted), Seconds(1.1 * predicted), Seconds(measured)};
}

TEST(Errors, ByHand) {
  // Twice too slow, twice too fast, right.
  const Errors e = errors({pair(2, 1), pair(1, 2), pair(1, 1)});
  EXPECT_EQ(e.points, 3u);
  EXPECT_NEAR(e.mean_absolute, 0.5, 1e-12);
  EXPECT_NEAR(e.mean_factor, std::pow(4, 1.0 / 3) - 1, 1e-12);
  EXPECT_NEAR(e.geometric_mean, std::cbrt(1 * 0.5 * 0.001), 1e-12);
  EXPECT_NEAR(e.worst, 1, 1e-12);
  EXPECT_NEAR(e.inside_interval(), 1.0 / 3, 1e-12);
}

TEST(Errors, AreSigned) {
  EXPECT_NEAR(errors({pair(0.4, 1)}).worst, -0.6, 1e-12);
}

TEST(Errors, OfNothingAreNone) {
  EXPECT_EQ(errors(std::vector<Pair>{}).points, 0u);
}

TEST(Limits, AreThoseOfClopperAndPearson) {
  // P(9 or more of 10) = 0.025 at p = 0.55498, P(9 or fewer) = 0.025 at 0.99747.
  const auto [least, most] = limits(9, 10);
  EXPECT_NEAR(least, 0.55498, 1e-4);
  EXPECT_NEAR(most, 0.99747, 1e-4);
  EXPECT_NEAR(limits(10, 10).second, 1, 1e-12);
  EXPECT_NEAR(limits(0, 10).first, 0, 1e-12);
}

}  // namespace
}  // namespace collcast::accuracy
