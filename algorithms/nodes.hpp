// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// A schedule for the ranks of one node, played on every node.
Schedule on_each_node(const Call& call, const Schedule& a);

/// A schedule for one rank of each node, played on every rail. Rail i joins the i-th ranks of all nodes; its
/// blocks begin at `offset(i)` of the message's `blocks`.
Schedule on_each_rail(const Call& call, const Schedule& a, std::function<Block(Rank)> offset, Block blocks);
/// The same with p blocks.
Schedule on_each_rail(const Call& call, const Schedule& a, std::function<Block(Rank)> offset);

}  // namespace collcast
