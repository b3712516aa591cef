// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// From rank 0. Blocks 0..K-1 go down the first tree, K..2K-1 down the second.
Schedule double_tree_broadcast(Rank ranks, Block segments_per_half);

/// The number of steps of double_tree_broadcast: 2(K-1) + D.
double double_tree_steps(Rank ranks, Block segments_per_half);

}  // namespace collcast
