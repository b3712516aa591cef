// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// Reduce-scatter by recursive halving, then allgather by recursive doubling. If the number of ranks is no
/// power of two, they are folded to one (folded.hpp).
Schedule rabenseifner_allreduce(Rank ranks);

}  // namespace collcast
