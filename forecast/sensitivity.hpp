// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "forecast/what_if.hpp"

namespace collcast {

/// By how much a time moves with a parameter: d ln(time) / d ln(parameter). -1: half the time at twice the
/// bandwidth.
struct Elasticity {
  std::string parameter;
  double elasticity = 0;
  /// Share by which the time grows, and shrinks, when the parameter changes by 1 %.
  double slower = 0, faster = 0;
  /// The time jumps, as where a library takes speeds in steps: the elasticity is no slope.
  bool step() const { return std::max(std::abs(slower), std::abs(faster)) > 0.05; }
};

/// The elasticities of each row's time, and in a last entry those of the sum of all times; the largest first,
/// without those that are 0. They are of the platform's parameters, and of NCCL's constants that the platform
/// does not state (nccl/constants.hpp). By central difference, 1 % to either side.
std::vector<std::vector<Elasticity>> sensitivity(const Description& platform, const TimesOn& times);

}  // namespace collcast
