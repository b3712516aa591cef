// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace collcast {

/// The butterfly of Swing and Bine over 2^L ranks on a ring. In step s an even rank exchanges with the rank
/// at distance rho(s) = (1 - (-2)^(s+1))/3 (1, -1, 3, -5, 11, ...), an odd rank with the one at distance
/// -rho(s).
struct Butterfly {
  Rank ranks;
  /// Ranks in an order in which the 2^(L-1-s) ranks that still share a block after step s are adjacent.
  std::vector<Rank> order;
  std::vector<Rank> place;  ///< by rank: its index in `order`

  explicit Butterfly(Rank ranks);
  Rank peer(Rank rank, int step) const;
};

/// Reduce-scatter, then allgather, over the butterfly. Block i belongs to rank order[i], so that the blocks
/// of every message are consecutive.
Schedule butterfly_allreduce(const std::shared_ptr<const Butterfly>& butterfly);

}  // namespace collcast
