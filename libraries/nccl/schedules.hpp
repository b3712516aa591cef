// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <map>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "libraries/nccl/nccl.hpp"
#include "libraries/nccl/ring_search.hpp"
#include "libraries/nccl/transport.hpp"
#include "model/load.hpp"

namespace collcast::nccl {

/// All ranks in the order in which a channel visits them: node by node, within a node in the channel's order.
using Order = std::vector<Rank>;

/// The channels that NCCL's search found on a node, by its number of ranks.
using NodeChannels = std::map<std::size_t, Channels>;

/// The orders of `channels` channels, which repeat the first `searched` of each node in turn. `nodes`: the
/// ranks of each, in the order of their GPUs.
std::vector<Order> orders(const NodeChannels& found, const std::vector<std::vector<Rank>>& nodes,
                          int searched, int channels);

/// A ring on each channel (a chain for broadcast and reduce), on which each rank's chunks go round in `loops`
/// rounds. Chunks after the first `filled` are empty and not sent; in allgather and reduce-scatter `filled`
/// counts the chunks of each rank. A chain passes chunks on in `pieces`, but whole from node to node, of
/// `per_node` ranks. Throws InputError for collectives without rings in NCCL, and for an order
/// that names a rank twice.
Schedule rings(Collective collective, Rank root, const std::vector<Order>& orders, Block loops,
               Block filled = std::numeric_limits<Block>::max(), Rank per_node = 1, Block pieces = 1);

/// An allreduce on each channel: up the chain of each node and a binary tree of nodes, and down again. The
/// first `searched` channels, which the search found, use one tree. Their copies use the other tree, whose
/// inner nodes are leaves of the first (double binary tree). Each has `of_channel` blocks,
/// which go in chunks of `of_chunk`, the last with what is left. `at_once`: chunks go
/// down while later ones go up, by separate threads and a separate sequence of steps. From node to node so
/// many chunks go `together`. Nodes have `per_node` ranks; the last may have fewer.
Schedule trees(const std::vector<Order>& orders, int searched, Rank per_node, Block of_channel, bool at_once,
               Block of_chunk = 1, Block together = 1);

/// The bytes that each pair of neighbours in the rings or trees exchanges in all, if channels share the
/// message evenly.
std::vector<PairTraffic> traffic(Shape shape, Collective collective, Rank root,
                                 const std::vector<Order>& orders, int searched, Rank per_node,
                                 Bytes message);

/// What NCCL plays for the candidate on these ranks, as an algorithm with this name and without a formula.
Algorithm scheduled(std::string name, Collective collective, const Candidate& candidate, const Play& play,
                    const std::vector<Order>& orders, int searched, Rank per_node);

}  // namespace collcast::nccl
