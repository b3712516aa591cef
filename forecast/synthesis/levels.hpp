// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/listing.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// Ranks, and the groups that they fall into; a single rank has no parts.
struct Group {
  std::vector<Rank> ranks;
  std::vector<Group> parts;
  bool operator==(const Group&) const = default;
};

/// Groups of ranks that are near each other, by the cost of a message of this size: nodes, racks, all. The
/// outermost group is all ranks.
Group nearest(const Fabric& fabric, Bytes message);

/// How many levels of groups there are: parts in parts, down to the ranks.
int levels(const Group& group);

/// The group with the parts of level i, outermost first, split into groups of groups so that at most
/// `radices[i]` meet at once. Radix 2 splits 5 parts into 3 and 2, and the 3 into 2 and 1.
Group refined(const Group& group, const std::vector<int>& radices);

/// The messages of a collective by levels, a step for each level, the outermost first: the ranks of a part
/// trade what they have with the ranks in the same place of each other part of their group. This plays
/// allgather, broadcast, scatter and alltoall; reduce-scatter, reduce and gather are the same backwards. An
/// allreduce scatters its sums over groups of the innermost `shared` levels. Ranks in the same place of these
/// groups then trade sums, the innermost level first, and the groups gather them. With `shared` > 0 a
/// broadcast scatters and gathers, and a reduce does likewise. Throws InputError for other collectives, if
/// groups that share differ in size, and if there are fewer levels.
Listing by_levels(const Group& group, Collective collective, Rank root, int shared = 0);

/// Whether `by_levels` knows the collective.
bool plays_levels(Collective collective);

}  // namespace collcast
