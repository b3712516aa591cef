// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm allgatherv_linear;

/// Every rank sends its block to every other rank, all at once.
Schedule linear_allgather(Rank ranks);

}  // namespace collcast
