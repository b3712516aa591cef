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

/// Ranks that are near each other by what a message of this size costs: nodes, racks, all. The outermost
/// group is all ranks.
Group nearest(const Fabric& fabric, Bytes message);

/// How many levels of groups there are: parts in parts, down to the ranks.
int levels(const Group& group);

/// The parts of level i, outermost first, in groups of groups, so that at most `radices[i]` meet at once: of
/// 5 by 2, 3 and 2, and of 3, 2 and 1.
Group refined(const Group& group, const std::vector<int>& radices);

/// The messages of a collective by levels, in one step each: the ranks of a part trade what they have with
/// those in the same place of each other part of their group, the outermost level first. Of allgather,
/// broadcast, scatter and alltoall; of reduce-scatter, reduce and gather the same backwards; an allreduce
/// scatters its sums over groups of the innermost `shared` levels and gathers them there; in between the same
/// places of these trade sums, the innermost level first. With `shared` > 0 a broadcast scatters and gathers,
/// a reduce likewise. Throws InputError for other collectives, where groups that share differ in size, and
/// where there are fewer levels.
Listing by_levels(const Group& group, Collective collective, Rank root, int shared = 0);

/// Whether `by_levels` knows the collective.
bool plays_levels(Collective collective);

}  // namespace collcast
