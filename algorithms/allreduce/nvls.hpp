// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm allreduce_nvls;

/// Each rank takes the sum of its block, one of p, reduced on the way.
Schedule switch_reduce_scatter(Rank ranks);
/// Each rank multicasts its block.
Schedule switch_allgather(Rank ranks);

}  // namespace collcast
