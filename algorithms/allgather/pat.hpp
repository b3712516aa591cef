// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// Parallel aggregated trees (NCCL's PAT). Every block goes down a binomial tree, far ranks first; the trees
/// are the same but rotated, and are traversed in step with each other:
/// 1. Level by level, while the blocks of a message fit into `call.buffer`.
/// 2. Then the remaining subtrees one after another in preorder, so that log p buffers suffice.
Schedule pat_allgather(const Call& call);

/// The number of steps.
std::int64_t pat_steps(const Call& call);

}  // namespace collcast
