// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// One message by name: `from` sends its copy of these blocks, in this order.
struct Listed {
  Rank from, to;
  Combine combine = Combine::copy;
  std::vector<Chunk> pieces;
};

/// A collective whose messages are listed, step by step.
struct Listing {
  Rank ranks = 1;
  Block blocks = 1;
  std::vector<std::vector<Listed>> steps;
};

/// The messages in `segments` that follow each other a step apart. Throws InputError where a message is from
/// or to no rank, to its sender, or of no block.
Schedule schedule(const Listing& listing, Block segments);

/// An algorithm for the listing's ranks, and the root that it was listed for, alone.
Algorithm algorithm_of(const Listing& listing, Collective collective, const std::string& name);

/// One after the other; of the same ranks and blocks.
Listing then(Listing first, const Listing& second);
/// Backwards: who received sends, who sent reduces or stores.
Listing reversed(const Listing& listing, Combine combine);

}  // namespace collcast
