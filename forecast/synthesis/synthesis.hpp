// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "algorithms/forest.hpp"
#include "forecast/predict.hpp"
#include "forecast/synthesis/packing.hpp"

namespace collcast {

/// A schedule that was made for a machine.
struct Synthesis {
  Algorithm algorithm;
  Forest forest;
  Rank root = 0;
  std::int64_t depth = 0;  ///< messages from a root to the farthest rank
  SecondsPerByte optimum;  ///< time of a byte of the message that the links of routes allow
  SecondsPerByte busiest;  ///< time for which a byte of the message keeps the busiest link busy
  std::string busiest_link;
};

/// Sets `busiest` and `busiest_link` of a synthesis from the routes of its messages.
void find_busiest(Synthesis& synthesis, const Fabric& fabric);

/// Messages from a root to the farthest rank.
std::int64_t depth(const Forest& forest);

/// The most ranks that a synthesis takes.
constexpr Rank most_synthesized = 256;
/// Throws InputError if there are more.
void check_synthesized(Rank ranks);

/// The fastest packing of spanning trees on the machine's links, with `trees_per_root` trees from each root
/// (0: as many as the optimum has). Throws Stopped if `stop` ends it before there is a packing. Throws
/// InputError for collectives that trees do not serve, too many ranks, and ranks that do not reach each
/// other. Throws NoTrees if no wiring has any.
Synthesis synthesize(Collective collective, const Forecaster& forecaster, Rank root = 0,
                     std::int64_t trees_per_root = 0, const Stop& stop = {});

}  // namespace collcast
