// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// In step s rank r sends rank r + s + 1 its block, and receives from rank r - s - 1.
Schedule pairwise_alltoall(Rank ranks);

}  // namespace collcast
