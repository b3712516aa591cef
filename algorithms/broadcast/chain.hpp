// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// From rank 0: segment i reaches rank r in step r + i - 1 and is forwarded in the next step.
Schedule chain_broadcast(Rank ranks, Block segments);

}  // namespace collcast
