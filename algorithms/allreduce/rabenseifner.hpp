// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm allreduce_rabenseifner;

/// Reduce-scatter by recursive halving, then allgather by recursive doubling; folded to a power of two.
Schedule rabenseifner_allreduce(Rank ranks);

}  // namespace collcast
