// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// Every rank sends its block to every other rank, all at once.
Schedule linear_allgather(Rank ranks);

}  // namespace collcast
