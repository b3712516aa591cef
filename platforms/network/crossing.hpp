// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace collcast {

/// The kinds of links of a dragonfly, as indices of Blueprint::trunks.
inline constexpr int local_trunk = 0, global_trunk = 1, chassis_trunk = 2;

/// A kind of route between two switches: how many switches it passes, these two included, and which links.
struct Crossing {
  int switches;
  std::vector<int> trunks = {};  ///< the kind of each link
};

/// The ends of a message's route through a network.
struct Trip {
  std::int64_t from, to;              ///< switches
  std::uint64_t source, destination;  ///< nodes, numbered switch by switch
};

}  // namespace collcast
