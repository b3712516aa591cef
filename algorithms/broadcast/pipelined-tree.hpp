// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm broadcast_pipelined_tree;

/// From rank 0 down the binary tree in which rank r's children are ranks 2r + 1 and 2r + 2.
Schedule pipelined_tree_broadcast(Rank ranks, Block segments);

/// The step after which a segment that the root sends from step 0 on is there: a left child has it one step
/// after its parent, a right child two.
int binary_tree_arrival(Rank rank);
/// The largest of `ranks` ranks.
int last_binary_tree_arrival(Rank ranks);

/// Messages one after the other on its longest path.
double pipelined_tree_depth(Rank ranks, Block segments);

}  // namespace collcast
