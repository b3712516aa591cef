// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// Any rank count from a power of two: the first 2(p - q) ranks pair up, q = 2^floor(log2 p). The even one of
/// a pair sends its whole message to the odd one (`before`), the odd one and all others play `inner` over q
/// ranks, and the odd one returns the result.
Schedule folded(Rank ranks, const Schedule& inner);

/// 2a + 2nb + ng where ranks are left over, else nothing.
Seconds folding_time(const Call& call, const AlphaBetaGamma& machine);

}  // namespace collcast
