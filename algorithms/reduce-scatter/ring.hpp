// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// Partial sums travel round a ring: in step s rank r passes on its sum of block r - s - 1; block r ends on
/// rank r.
Schedule ring_reduce_scatter(Rank ranks);

}  // namespace collcast
