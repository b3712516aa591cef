// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm scan_linear;

/// Rank after rank.
Schedule linear_scan(Rank ranks);

}  // namespace collcast
