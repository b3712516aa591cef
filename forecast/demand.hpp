// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace collcast {

/// One of two sides of a machine: for each rank whether it is inside.
using Side = std::vector<char>;

inline bool is_inside(const Side& inside, Rank r) {
  return inside[static_cast<std::size_t>(r)] != 0;
}
Side others(Side inside);

/// What a collective has to move: from each rank some bytes to all sinks, or a rule that says what leaves a
/// group.
struct Demand {
  std::vector<double> weights;  ///< by rank
  std::vector<Rank> sinks;
  bool reversed = false;
  std::function<double(const Side&)> leaving_by_rule;
  std::function<bool(Rank to, Rank from)> depends_by_rule;
  bool spread() const { return !weights.empty(); }
  /// Whether `to` cannot be done before it has heard from `from`.
  bool depends(Rank to, Rank from) const;
};

Demand demand(Collective collective, const Call& call);
/// The least number of bytes that have to leave the ranks inside.
double leaving(const Demand& demand, const Side& inside);

}  // namespace collcast
