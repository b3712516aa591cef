// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// Rank after rank.
Schedule linear_scan(Rank ranks);

}  // namespace collcast
