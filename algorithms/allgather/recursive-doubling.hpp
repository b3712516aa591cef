// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm allgather_recursive_doubling;

/// Neighbours at distance 1, 2, 4, ... swap all they have. Powers of two.
Schedule recursive_doubling_allgather(Rank ranks);

}  // namespace collcast
