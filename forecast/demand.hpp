// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace collcast {

/// Of two sides of a machine one, by rank: whether it is inside.
using Side = std::vector<char>;

inline bool holds(const Side& inside, Rank r) {
  return inside[static_cast<std::size_t>(r)] != 0;
}
Side others(Side inside);

/// What a collective has to move: from each rank some bytes to all sinks, or a rule that says what leaves a
/// group.
struct Demand {
  std::vector<double> weights;  ///< by rank
  std::vector<Rank> sinks;
  bool reversed = false;
  std::function<double(const Side&)> leaving;
  std::function<bool(Rank to, Rank from)> relies;
  bool spread() const { return !weights.empty(); }
  /// `to` cannot be done before it has heard of `from`.
  bool depends(Rank to, Rank from) const;
};

Demand demand(Collective collective, const Call& call);
/// What leaves the ranks inside, at least.
double leaving(const Demand& demand, const Side& inside);

}  // namespace collcast
