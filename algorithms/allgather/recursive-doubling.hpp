// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm allgather_recursive_doubling;

/// Neighbours at distance 1, 2, 4, ... swap all they have. Powers of two.
Schedule recursive_doubling_allgather(Rank ranks);

/// The bits of a rank of `ranks`, a power of two, the other way round.
Rank bits_reversed(Rank rank, Rank ranks);
/// The same at distances p/2, p/4, ..., 1, so that what is largest stays near: rank r begins with the block
/// of its reversed bits.
Schedule farthest_first_allgather(Rank ranks);

}  // namespace collcast
