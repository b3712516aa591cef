// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm broadcast_knomial_direct, broadcast_knomial_staging, broadcast_knomial_pipeline;

/// From rank 0, chunk after chunk: in each round every rank that has the chunk sends it to k - 1 more at
/// once.
Schedule knomial_rounds(Rank ranks, int radix, Block chunks);

}  // namespace collcast
