// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// In step s the root sends the rank s + 1 further on its block.
Schedule linear_scatter(Rank ranks, Rank root);

}  // namespace collcast
