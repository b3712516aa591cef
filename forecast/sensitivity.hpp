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
  double slower = 0, faster = 0;  ///< by which share the time grows and shrinks with 1 % to either side
  /// The time jumps, as where a library takes speeds in steps: the elasticity is no slope.
  bool step() const { return std::max(std::abs(slower), std::abs(faster)) > 0.05; }
};

/// Of the platform's parameters, and of NCCL's constants where it does not state them (nccl/constants.hpp):
/// the elasticities of each row's time, and in a last entry those of the sum of all times; the largest first,
/// without those that are 0. By central difference, 1 % to either side.
std::vector<std::vector<Elasticity>> sensitivity(const Description& platform, const TimesOn& times);

}  // namespace collcast
