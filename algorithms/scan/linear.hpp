// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// In step s rank s sends its sum to rank s + 1, which adds it to its own value.
Schedule linear_scan(Rank ranks);

}  // namespace collcast
