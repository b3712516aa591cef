// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "libraries/nccl/nccl.hpp"
#include "libraries/nccl/ring_search.hpp"
#include "libraries/nccl/transport.hpp"
#include "model/load.hpp"

namespace collcast::nccl {

/// All ranks in the order in which a channel visits them: node by node, in each along the channel's GPUs.
using Order = std::vector<Rank>;

/// Of `channels` channels, which take those that the search found in turn. `nodes`: the ranks of each, in the
/// order of their GPUs.
std::vector<Order> orders(const Channels& found, const std::vector<std::vector<Rank>>& nodes, int channels);

/// A ring on each channel, `loops` chunks of each rank one after the other, of which those after the first
/// `filled` of all are empty and not sent (allgather and reduce-scatter: as many of each rank); of broadcast
/// and reduce a chain. Throws InputError for collectives that NCCL has no rings for, and for an order that
/// names a rank twice.
Schedule rings(Collective collective, Rank root, const std::vector<Order>& orders, Block loops,
               Block filled = std::numeric_limits<Block>::max());

/// An allreduce on each channel: up the chain of each node and a binary tree of nodes, and down again. After
/// the first `searched` channels, which the search found, as many copies of them take the second tree, whose
/// inner nodes are leaves of the first. `loops` chunks; `at_once`: the first go down while others climb.
/// Nodes have `per_node` ranks; the last one may have fewer.
Schedule trees(const std::vector<Order>& orders, int searched, Rank per_node, Block loops, bool at_once);

/// What the ranks send each other in all, of a message that the channels share evenly: a ring's neighbours,
/// or a tree's.
std::vector<Pair> traffic(Shape shape, Collective collective, Rank root, const std::vector<Order>& orders,
                          int searched, Rank per_node, Bytes message);

/// What NCCL plays for the candidate on these ranks, as an algorithm by that name; it has no closed form.
Algorithm scheduled(std::string name, Collective collective, const Candidate& candidate, const Play& play,
                    const std::vector<Order>& orders, int searched, Rank per_node);

}  // namespace collcast::nccl
