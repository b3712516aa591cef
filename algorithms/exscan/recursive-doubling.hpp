// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm exscan_recursive_doubling;

}  // namespace collcast
