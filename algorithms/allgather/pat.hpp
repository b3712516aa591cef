// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm allgather_pat;

/// Bruck's allgather with the far steps first: what travels far is small.
Schedule pat_allgather(Rank ranks);

}  // namespace collcast
