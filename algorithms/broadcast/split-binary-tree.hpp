// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm broadcast_split_binary_tree;

/// From rank 0: the halves of the message, `segments` blocks each, down the two subtrees of a binary tree;
/// then ranks of the two subtrees swap halves in pairs. Odd ranks are in the left subtree.
Schedule split_binary_tree_broadcast(Rank ranks, Block segments);

}  // namespace collcast
