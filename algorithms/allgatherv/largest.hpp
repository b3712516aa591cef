// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// An upper bound of the time of a schedule of unequal blocks. Each step counts the largest of the first
/// messages that ranks send, then the largest of the second ones, and so on.
Seconds time_of_largest(const Schedule& schedule, const Call& call, const AlphaBetaGamma& machine);

inline constexpr auto formula_of_largest =
    "~ sum over messages of a rank of a + (largest such message of any rank) b; an upper bound, exact if "
    "equal";

/// The most messages that a rank sends in an allgather. time_of_largest is at most this many times the
/// critical path.
double most_messages(Rank ranks);

}  // namespace collcast
