// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace collcast {

/// What a route between two switches crosses, these two included.
struct Crossing {
  int switches;
  std::vector<int> trunks = {};  ///< kinds of links, one entry per link
};

/// A message's way through a network.
struct Trip {
  std::int64_t from, to;              ///< switches
  std::uint64_t source, destination;  ///< nodes, numbered switch by switch
};

}  // namespace collcast
