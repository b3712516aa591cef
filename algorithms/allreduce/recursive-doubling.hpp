// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// Ranks at distance 1, 2, 4, ... exchange and reduce whole messages. If the number of ranks is no power of
/// two, they are folded to one (folded.hpp).
Schedule hypercube_allreduce(Rank ranks);

}  // namespace collcast
