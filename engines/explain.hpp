// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engines/player/result.hpp"
#include "model/explanation.hpp"
#include "model/fabric.hpp"
#include "model/layout.hpp"

namespace collcast {

/// One entry of an explanation: a part of the time, and its cause.
struct Share {
  Cause cause = Cause::wait;
  std::string name;  ///< the name of the link; the slowest of several corresponding links of nodes or ranks
  Seconds time;      ///< on all of these links
  std::size_t alike = 1;  ///< the number of these links
  Seconds moving = {};    ///< of an overhead: while bytes pass links, faster than software
};

/// Sorts by time, the largest first. Entries that differ only by rounding keep their order.
void largest_first(std::vector<Share>& shares);

/// The delays of a chain, added up by cause and name, the largest first. They add up to `total`: what the
/// chain does not explain is counted as queueing on `busiest`. Empty for an empty chain without a launch.
/// If a delay does not say for which link a message queued, it is the slowest link of the route, or one that
/// is clearly busier according to `links`. Without `links` it is the receiver's port if that is clearly
/// busier according to `ports`. `meetings`: explanations of Op::Kind::meet, by number. Of equal shares, the
/// first by cause, then by name, comes first.
std::vector<Share> explanation(const Fabric& fabric, const std::vector<Delay>& chain, Seconds launch,
                               Seconds total, const std::string& busiest,
                               const std::vector<std::string>& meetings = {},
                               const std::vector<Result::Use>& links = {},
                               const std::vector<Result::Use>& ports = {});

}  // namespace collcast
