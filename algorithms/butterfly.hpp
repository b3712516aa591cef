// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace collcast {

/// The butterfly of Swing and Bine over 2^L ranks round a ring: in step s an even rank meets the rank
/// rho(s) = (1 - (-2)^(s+1))/3 further on (1, -1, 3, -5, 11, ...), an odd one the rank -rho(s) further on.
struct Butterfly {
  Rank ranks;
  /// Ranks in the order in which steps 0, 1, ... part them: whoever still shares a block after step s are
  /// neighbours, 2^(L-1-s) of them.
  std::vector<Rank> order;
  std::vector<Rank> place;  ///< of each rank in `order`

  explicit Butterfly(Rank ranks);
  Rank peer(Rank rank, int step) const;
};

/// Reduce-scatter and allgather over the butterfly; block i belongs to rank order[i], so that every message
/// is one range of blocks.
Schedule butterfly_allreduce(const std::shared_ptr<const Butterfly>& butterfly);

/// 2 lg q a + (q-1)/q n (2 b + g), and what folding p ranks to q = 2^floor(lg p) costs.
Seconds butterfly_time(const Call& call, const AlphaBetaGamma& machine);

}  // namespace collcast
