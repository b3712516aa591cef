// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// A ring on each rail, then every rank sends what its rail gathered to every other rank of its node, all at
/// once. `ranks_per_node` divides `ranks`.
Schedule hierarchical_allgather(Rank ranks, Rank ranks_per_node);

}  // namespace collcast
