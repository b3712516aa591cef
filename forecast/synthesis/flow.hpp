// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "algorithms/listing.hpp"
#include "forecast/synthesis/edge_prices.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// An alltoall, a gather or a scatter in equal units: which ranks each unit visits on its way.
struct Flow {
  Addressed addressed;
  Rank ranks = 1;
  Block units = 1;
  /// The way of unit i from rank s to rank d is at (s * ranks + d) * units + i: s, the ranks between, d;
  /// empty where s has nothing for d.
  std::vector<std::vector<Rank>> ways;
  double time = 0;   ///< [s/B] that a byte of each share takes the busiest link
  double least = 0;  ///< [s/B] a lower bound of the time for any ways, by prices of links and ports

  bool direct() const;
};

/// How long a byte of each share keeps each resource busy [s/B].
std::vector<double> busy(const Flow& flow, const EdgeUses& uses);

/// Routes what ranks have for each other, by way of other ranks too, so that the busiest link is as little
/// busy as possible. Links get dearer the busier they are, and one unit after the other takes the cheapest
/// way, as long as that helps. Prices also give the lower bound `least` (Garg and Koenemann, FOCS 1998;
/// least_by_cheapest_routes). After `stop` it returns the best so far.
Flow least_busy(const Fabric& fabric, const Addressed& addressed, Block units, const Stop& stop = {});

/// The flow as messages, hop by hop. All that goes from one rank to another in a hop is one message.
/// `in_turns`: each rank first sends what is for the next rank, in the next step what is for the one after
/// that, and so on.
Listing listing(const Flow& flow, bool in_turns);

}  // namespace collcast
