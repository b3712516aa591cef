// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// The pairwise exchange in a single step.
Schedule linear_alltoall(Rank ranks);

}  // namespace collcast
