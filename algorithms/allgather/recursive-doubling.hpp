// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// Ranks at distance 1, 2, 4, ... exchange all their blocks. For a power of two ranks.
Schedule recursive_doubling_allgather(Rank ranks);

/// The rank with its bits in reverse order; `ranks` is a power of two.
Rank bits_reversed(Rank rank, Rank ranks);
/// The same at distances p/2, p/4, ..., 1, so that the largest messages go to the nearest ranks. Rank r
/// begins with block bits_reversed(r).
Schedule farthest_first_allgather(Rank ranks);

}  // namespace collcast
