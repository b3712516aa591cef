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
  std::string name;  ///< of the link; of corresponding links of several nodes or ranks, the slowest one's
  Seconds time;      ///< on all of these links
  std::size_t alike = 1;  ///< how many corresponding links these are
  Seconds moving = {};    ///< of overhead: while bytes pass links, which are faster than the software
};

/// Entries that differ by rounding only stay in their order.
void largest_first(std::vector<Share>& shares);

/// The delays of a chain, added up by cause and name, the largest first. They add up to `total`: what the
/// chain does not explain is counted as queueing on `busiest`. Empty for an empty chain. Where a delay does
/// not say for which link a message queues, it is the slowest of its route, or one that is clearly busier by
/// `links`, or without these the receiver's port if it is clearly busier by `ports`. `meetings`: explanations
/// of Op::Kind::meet, by number. Of equal shares the first by cause, then by name, is first.
std::vector<Share> explanation(const Fabric& fabric, const std::vector<Delay>& chain, Seconds launch,
                               Seconds total, const std::string& busiest,
                               const std::vector<std::string>& meetings = {},
                               const std::vector<Result::Use>& links = {},
                               const std::vector<Result::Use>& ports = {});

}  // namespace collcast
