// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// `a`, which is for the ranks of one node, on every node.
Schedule on_each_node(const Call& call, const Schedule& a);

/// `a`, which is for one rank of each node, on every rail: rail i joins the i-th ranks of all nodes and works
/// on the blocks from `offset(i)` on, of one message's `blocks`.
Schedule on_each_rail(const Call& call, const Schedule& a, std::function<Block(Rank)> offset, Block blocks);
/// The same, of p blocks.
Schedule on_each_rail(const Call& call, const Schedule& a, std::function<Block(Rank)> offset);

}  // namespace collcast
