// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// After round s every rank has the sum of the 2^(s+1) ranks up to itself.
Schedule doubling_scan(Rank ranks);

}  // namespace collcast
