// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/machine/machine.hpp"

namespace collcast {

/// Where ranks sit.
struct Occupied {
  int nodes = 0;
  int ranks_per_node = 0;  ///< at most
};
Occupied occupied(const Machine& machine);

}  // namespace collcast
