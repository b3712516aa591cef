// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/repetitions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace collcast::mpi {
namespace {

constexpr Effort careful{6, 50, 0.02};

/// What `measure` does, with times drawn from a distribution instead of a machine.
Times repeated(const std::function<double()>& draw, const Effort& effort) {
  Times times;
  auto& all = times.seconds;
  while (const int count = wanted(times, effort, std::accumulate(all.begin(), all.end(), 0.0))) {
    for (int i = 0; i < count; ++i) all.push_back(draw());
    std::ranges::sort(all);
  }
  return times;
}

/// A share of the times is `longer` times the others, and all differ by a tenth of a percent.
auto two_kinds(double share, double longer, std::mt19937_64& random) {
  return [=, &random] {
    return std::lognormal_distribution(0.0, 1e-3)(random) *
           (std::bernoulli_distribution(share)(random) ? longer : 1);
  };
}

TEST(Repetitions, IntervalIsBetweenOrderStatistics) {
  const auto interval = [](std::size_t n) {
    Times t;
    for (std::size_t i = 1; i <= n; ++i) t.seconds.push_back(static_cast<double>(i));
    return t.interval();
  };
  using Pair = std::pair<double, double>;
  EXPECT_EQ(interval(1), Pair(1, 1));
  EXPECT_EQ(interval(5), Pair(1, 5));
  EXPECT_EQ(interval(6), Pair(1, 6));    // misses it with probability 2 / 2^6
  EXPECT_EQ(interval(9), Pair(2, 8));    // 2 (1 + 9) / 2^9
  EXPECT_EQ(interval(20), Pair(6, 15));  // 4.1 %; 7 to 14 would miss it with 11.5 %
}

TEST(Repetitions, OfEqualTimesTheLeastNumberDoes) {
  EXPECT_EQ(repeated([] { return 5.0; }, careful).seconds.size(), 6u);
  EXPECT_EQ(repeated([] { return 5.0; }, Effort{3, 50, 0.02}).seconds.size(), 3u);
}

TEST(Repetitions, GoOnWhileTheIntervalIsWide) {
  EXPECT_EQ(wanted({{1, 1, 1, 1, 1, 1.03}}, careful, 6), 1);
  EXPECT_EQ(wanted({{1, 1, 1, 1, 1, 1.01}}, careful, 6), 0);
  EXPECT_EQ(wanted({{1, 1, 1, 1, 1, 1, 1, 1, 1.03}}, careful, 9),
            0);  // of nine, the second to the eighth count
}

TEST(Repetitions, AreLimitedInNumberAndTime) {
  std::mt19937_64 random(1);
  const auto even = two_kinds(0.5, 2, random);
  EXPECT_EQ(repeated(even, Effort{6, 30, 0.001}).seconds.size(), 30u);
  const Times limited = repeated(even, Effort{6, 30, 0.001, 20});
  EXPECT_LT(limited.seconds.size(), 20u);
  EXPECT_EQ(repeated(even, Effort{6, 30, 0.001, 0.5}).seconds.size(), 6u);  // `least` come first
}

/// What stalls now and then is told from what it usually takes: three repetitions of it are slow twice or
/// thrice in one of five cases.
TEST(Repetitions, FindTheCommonKindOfTwo) {
  std::mt19937_64 random(2);
  int slow = 0, more = 0;
  for (int i = 0; i < 1000; ++i) {
    const Times t = repeated(two_kinds(0.3, 1.3, random), careful);
    slow += t.median() > 1.1;
    more += t.seconds.size() > 6;
  }
  EXPECT_LE(slow, 20);
  EXPECT_GE(more, 800);
}

/// To stop where the interval is narrow is not to choose its place.
TEST(Repetitions, IntervalHoldsTheMedianAllTheSame) {
  std::mt19937_64 random(3);
  for (const double noise : {0.003, 0.01, 0.03}) {
    int holds = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto [low, high] =
          repeated([&] { return std::lognormal_distribution(0.0, noise)(random); }, careful).interval();
      holds += low <= 1 && 1 <= high;
    }
    EXPECT_GE(holds, 1860) << noise;  // 93 %
  }
}

}  // namespace
}  // namespace collcast::mpi
