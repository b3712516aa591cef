// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/explanation.hpp"
#include "model/fabric.hpp"
#include "model/layout.hpp"

namespace collcast {

/// One entry of an explanation: what took a part of the time.
struct Share {
  Cause cause = Cause::wait;
  std::string name;       ///< of a link: the one of several nodes' or ranks' alike that took most
  Seconds time;           ///< of all of them
  std::size_t alike = 1;  ///< on so many nodes, or of so many ranks
};

/// The chain's stretches by cause and name, the largest first; they add up to `total`. What the chain leaves
/// of it was waited for behind others on `busiest`. Nothing of nothing. `meetings`: what explains the time of
/// meetings, by their numbers.
std::vector<Share> explanation(const Fabric& fabric, const std::vector<Stretch>& chain, Seconds launch,
                               Seconds total, const std::string& busiest,
                               const std::vector<std::string>& meetings = {});

}  // namespace collcast
