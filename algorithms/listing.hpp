// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// One listed message: `from` sends its copy of these blocks, in this order.
struct Listed {
  Rank from, to;
  Combine combine = Combine::copy;
  std::vector<Chunk> pieces;
};

/// A collective as a list of the messages of each step.
struct Listing {
  Rank ranks = 1;
  Block blocks = 1;
  std::vector<std::vector<Listed>> steps;
};

/// The listing as a schedule, pipelined in `segments` one step apart. Each `together` blocks are cut as one,
/// so that the parts of a segment are consecutive. Throws InputError for a message from or to a rank that
/// does not exist, to its sender, or without blocks.
Schedule schedule(const Listing& listing, Block segments, Block together = 1);

/// The algorithm, for the listing's number of ranks and root only.
Algorithm algorithm_of(const Listing& listing, Collective collective, const std::string& name);

/// Two listings in sequence, for the same ranks and blocks.
Listing then(Listing first, const Listing& second);
/// The listing in reverse order, each message from its receiver to its sender, which stores or reduces it.
Listing reversed(const Listing& listing, Combine combine);

}  // namespace collcast
