// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm alltoall_linear;

/// The pairwise exchange in a single step.
Schedule linear_alltoall(Rank ranks);

}  // namespace collcast
