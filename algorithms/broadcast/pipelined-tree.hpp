// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// From rank 0 down the binary tree in which rank r's children are ranks 2r + 1 and 2r + 2.
Schedule pipelined_tree_broadcast(Rank ranks, Block segments);

/// The step after which a rank has the first segment, which the root sends from step 0 on: a left child has
/// it one step after its parent, a right child two steps.
int binary_tree_arrival(Rank rank);
/// The largest binary_tree_arrival among `ranks` ranks.
int last_binary_tree_arrival(Rank ranks);

/// The number of messages on the longest path.
double pipelined_tree_depth(Rank ranks, Block segments);

}  // namespace collcast
