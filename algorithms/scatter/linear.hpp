// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// In step s the root sends its block to rank root + s + 1, modulo the number of ranks.
Schedule linear_scatter(Rank ranks, Rank root);

}  // namespace collcast
