// SPDX-License-Identifier: Apache-2.0
#include "algorithms/algorithm.hpp"

namespace collcast {

Schedule rooted(const Schedule& from_rank_0, Rank root) {
  if (root == 0) return from_rank_0;
  const Rank p = from_rank_0.ranks;
  return renamed(from_rank_0, p, [root, p](Rank r) { return (r + root) % p; });
}

}  // namespace collcast
