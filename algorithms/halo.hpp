// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm halo_1d_direct, halo_2d_direct, halo_3d_direct;

}  // namespace collcast
