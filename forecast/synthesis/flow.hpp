// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "algorithms/listing.hpp"
#include "forecast/synthesis/packing.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// What each rank has for each other one, in equal units, and by which ranks each unit goes.
struct Flow {
  Rank ranks = 1;
  Block units = 1;
  /// Of unit i for rank d from rank s at (s * ranks + d) * units + i: s, ranks between, d.
  std::vector<std::vector<Rank>> ways;
  double time = 0;   ///< [s/B] of a byte from each to each, on the busiest link
  double least = 0;  ///< which no ways are below: by the prices of links that were the worst for all
  LinkId busiest = 0;

  bool direct() const;
};

/// An alltoall whose busiest link is as little busy as ways by other ranks can make it: prices grow with how
/// busy links are, and units take the cheapest way, in turns, as long as that helps. Prices that make all
/// ways dear bound from below what any ways can reach (Garg and Koenemann, FOCS 1998). After `stop` the best
/// so far.
Flow least_busy(const Fabric& fabric, Block units, const Stop& stop = {});

/// Hop by hop, a message for all that goes from one rank to another in a hop. In turns: each rank's first hop
/// for the next rank in the first step, for the one after it in the second, and so on.
Listing listing(const Flow& flow, bool in_turns);

}  // namespace collcast
