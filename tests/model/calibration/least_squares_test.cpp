// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/least_squares.hpp"

#include <gtest/gtest.h>

namespace collcast {
namespace {

/// Only the sum shows in the data, so exactly that what is expected of each vanishes beside it: their
/// information cannot be inverted, and neither is known better than before.
TEST(FitAmounts, WhatOnlyTheSumShowsIsAsUncertainAsExpected) {
  const auto errors = [](const std::vector<double>& v) { return std::vector{1e9 * (v[0] + v[1] - 3)}; };
  const AmountFit fit = fit_amounts(errors, {{1, 1, 1}, {2, 0.5, 2}});
  for (const auto& [i, most] : {std::pair<std::size_t, double>{0, 1}, {1, 0.5}}) {
    EXPECT_GT(fit.deviations[i], 0) << i;
    EXPECT_LE(fit.deviations[i], most) << i;
  }
}

}  // namespace
}  // namespace collcast
