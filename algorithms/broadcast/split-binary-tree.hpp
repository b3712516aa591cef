// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// From rank 0: the two halves of the message, of `segments` blocks each, go down the two subtrees of a
/// binary tree; then pairs of ranks, one from each subtree, exchange halves. Odd ranks are in the left
/// subtree.
Schedule split_binary_tree_broadcast(Rank ranks, Block segments);

}  // namespace collcast
