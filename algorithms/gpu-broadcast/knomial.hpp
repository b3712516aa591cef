// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// From rank 0, one chunk after another: in each round every rank that has the chunk sends it to k - 1 others
/// at once.
Schedule knomial_rounds(Rank ranks, int radix, Block chunks);

}  // namespace collcast
