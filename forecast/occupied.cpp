// SPDX-License-Identifier: Apache-2.0
#include "forecast/occupied.hpp"

#include <algorithm>
#include <unordered_map>

namespace collcast {

Occupied occupied(const Machine& machine) {
  std::unordered_map<int, int> on;
  Occupied sum;
  for (Rank r = 0; r < machine.ranks(); ++r)
    sum.ranks_per_node = std::max(sum.ranks_per_node, ++on[machine.node(r)]);
  sum.nodes = static_cast<int>(on.size());
  return sum;
}

}  // namespace collcast
