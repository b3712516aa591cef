// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm allgather_ring;

/// Blocks travel round a ring: in step s rank r passes on block r - s.
Schedule ring_allgather(Rank ranks);

}  // namespace collcast
