// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "libraries/segments.hpp"

namespace collcast {

/// What a user states of a call's parameters; the others are searched.
struct Stated {
  std::optional<Bytes> segment = {};
  bool radix = false, channels = false;
};

/// The calls that differ from this one in what nobody stated and the algorithm takes: a radix of 2, 4, 8, 16
/// or the ranks of a node; 1, 2 or 4 channels.
std::vector<Call> variants(const Algorithm& algorithm, const Call& call, const Stated& stated);

/// Whether some of these are of so many messages, more than 16 million, that none of those is read.
bool too_long_to_search(const Algorithm& algorithm, const Call& call, const Stated& stated);

/// The call with the radix, channels and segments that are fastest by critical path, the least numbers of
/// equally fast ones. `least`: the time of another algorithm; the search ends early if it is out of reach.
Call with_parameters(const Fabric& fabric, const Algorithm& algorithm, const Call& call,
                     const Stated& stated = {}, std::optional<Seconds> least = {});

}  // namespace collcast
