// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "libraries/segments.hpp"

namespace collcast {

/// Which parameters of a call the user has stated; the others are searched.
struct Stated {
  std::optional<Bytes> segment = {};
  bool radix = false, channels = false;
};

/// The call with each other value of one parameter that the algorithm takes and the user has not stated: a
/// radix of 2, 4, 8, 16 or the ranks of a node; 1, 2 or 4 channels, or half or twice the call's, up to 32.
std::vector<Call> variants(const Algorithm& algorithm, const Call& call, const Stated& stated);

/// Whether one of these calls sends more than 16 million messages; such calls are not searched.
bool too_long_to_search(const Algorithm& algorithm, const Call& call, const Stated& stated);

/// The call with the radix, channels and segments that are fastest by critical path; of equally fast ones,
/// the smallest. `least`: the time of another algorithm to beat; the search ends early if that is out of
/// reach.
Call with_parameters(const Fabric& fabric, const Algorithm& algorithm, const Call& call,
                     const Stated& stated = {}, std::optional<Seconds> least = {});

}  // namespace collcast
