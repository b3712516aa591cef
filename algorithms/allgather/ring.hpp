// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// Blocks go round a ring: in step s rank r forwards block r - s.
Schedule ring_allgather(Rank ranks);

}  // namespace collcast
