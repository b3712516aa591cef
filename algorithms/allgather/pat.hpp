// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm allgather_pat;

/// Every block goes down a binomial tree of its own, the same for all blocks but rotated, far ranks first.
/// The trees are walked in step with each other: first level by level, while a message carries no more blocks
/// than fit into `call.buffer`, then the subtrees that are left in preorder, so that log p buffers are
/// enough.
Schedule pat_allgather(const Call& call);

/// The number of steps.
std::int64_t pat_steps(const Call& call);

}  // namespace collcast
