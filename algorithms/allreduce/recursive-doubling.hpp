// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// Ranks at distance 1, 2, 4, ... exchange and reduce whole messages; other ranks than a power of two are
/// folded to one.
Schedule hypercube_allreduce(Rank ranks);

}  // namespace collcast
