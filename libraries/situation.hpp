// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "libraries/nccl/ring_search.hpp"
#include "libraries/policy.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// How many nodes some ranks occupy, and with how many ranks each, at most, at least, and on the node of the
/// first one.
struct Occupancy {
  Rank nodes = 1, on_a_node = 1, at_least = on_a_node, on_the_first = on_a_node;
  auto operator<=>(const Occupancy&) const = default;
};

/// What a library knows of the machine when it chooses for ranks with this occupancy, which use the first
/// slots of each node. Channels and their bandwidths are those that the policy's release of NCCL finds
/// (nccl/ring_search.hpp), or the usual release for other policies: the fewest and lowest of all nodes. If
/// there are none, there is one channel with the bandwidth of the slowest path.
Situation situation(const Description& description, Occupancy occupancy, const std::string& policy);
/// The same for the first `ranks` ranks in block placement.
Situation situation(const Description& description, Rank ranks, const std::string& policy);

/// The oldest generation of the GPUs that the ranks sit on; empty unless NCCL knows all of them, or RCCL
/// does.
std::optional<Gpu> supported_gpu(const Description& description);

/// The channels that the policy's release of NCCL finds, before it doubles them, on one of `nodes` nodes with
/// `on_the_node` ranks.
Channels channels(const Description& description, Rank nodes, Rank on_the_node, const std::string& policy,
                  ChannelShape shape = ChannelShape::ring);

}  // namespace collcast
