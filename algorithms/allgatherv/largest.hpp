// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// What a schedule of unequal blocks takes at most: the largest of the first messages that ranks send in a
/// step, then the largest of the second ones, and so on.
Seconds time_of_largest(const Schedule& schedule, const Call& call, const AlphaBetaGamma& machine);

inline constexpr auto formula_of_largest =
    "~ sum over messages of a rank of a + (largest such message of any rank) b; an upper bound, exact if "
    "equal";

/// No rank sends more in an allgather: time_of_largest is no more than that many times the critical path.
double most_messages(Rank ranks);

}  // namespace collcast
