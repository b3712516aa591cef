// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm allreduce_recursive_doubling;

/// Neighbours at distance 1, 2, 4, ... swap and reduce whole messages; folded to a power of two.
Schedule hypercube_allreduce(Rank ranks);

}  // namespace collcast
