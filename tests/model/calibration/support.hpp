// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "model/calibration/point_to_point.hpp"

namespace collcast::testing {

/// Sizes 1, 2, 4, ... 4 MiB.
inline std::vector<Bytes> powers_of_two() {
  std::vector<Bytes> sizes;
  for (double n = 1; n <= 4194304; n *= 2) sizes.emplace_back(n);
  return sizes;
}

/// A table of `time` with normal relative noise.
inline Samples table(const std::function<double(double)>& time, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  Samples samples;
  for (const Bytes n : powers_of_two())
    samples.push_back({n, Seconds(time(n.value) * (1 + noise * normal(random)))});
  return samples;
}

}  // namespace collcast::testing
