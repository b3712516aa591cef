// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// From rank 0: in each round every rank that has the message sends it to k - 1 more, one after the other.
Schedule knomial_broadcast(Rank ranks, int radix);

/// The number of messages on the longest path: (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p).
double knomial_depth(Rank ranks, int radix);

}  // namespace collcast
