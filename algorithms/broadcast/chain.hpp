// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm broadcast_chain;

/// From rank 0: segment i reaches rank r in step r + i - 1, and is passed on in the next.
Schedule chain_broadcast(Rank ranks, Block segments);

}  // namespace collcast
