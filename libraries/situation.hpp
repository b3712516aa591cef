// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "libraries/nccl/ring_search.hpp"
#include "libraries/policy.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// How the ranks that call a library sit: on so many nodes, at most so many on one.
struct Seats {
  Rank nodes = 1, on_a_node = 1;
};

/// The machine as a library sees it when it chooses for ranks that sit so; on each node they are the first
/// ones. Channels and their speeds are those that the policy's release of NCCL finds
/// (libraries/nccl/ring_search.hpp); of another policy's, or where no GPU has a peer, one channel at the pace
/// of the slowest path.
Situation situation(const Description& description, Seats seats, const std::string& policy);
/// The same for the first `ranks` ranks in block placement.
Situation situation(const Description& description, Rank ranks, const std::string& policy);

/// The channels that this release of NCCL finds for them, before it doubles them.
Channels channels(const Description& description, Seats seats, const std::string& policy,
                  ChannelShape shape = ChannelShape::ring);

}  // namespace collcast
