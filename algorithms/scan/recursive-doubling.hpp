// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm scan_recursive_doubling;

/// After round s every rank has the sum of the 2^(s+1) ranks up to itself.
Schedule doubling_scan(Rank ranks);

}  // namespace collcast
