// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// Reduce-scatter by recursive halving, then allgather by recursive doubling; other ranks than a power of two
/// are folded to one.
Schedule rabenseifner_allreduce(Rank ranks);

}  // namespace collcast
