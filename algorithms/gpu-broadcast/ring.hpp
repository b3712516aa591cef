// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm broadcast_ring_direct, broadcast_ring_staging, broadcast_ring_pipeline;

}  // namespace collcast
