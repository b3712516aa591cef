// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// First a, then b, on the same ranks and blocks: each rank starts b when its own part of a is done.
Schedule then(Schedule a, Schedule b);

/// As pipelines do: b begins in a's step `start`, on the same ranks and blocks. One channel each.
Schedule staggered(Schedule a, Schedule b, std::int64_t start);

/// a and b side by side, on channels of their own, over the same ranks; b's blocks follow a's.
Schedule beside(Schedule a, Schedule b);

/// a on the given ranks of a world of `world` ranks, on its blocks `offset`, `offset + 1`, ... of `blocks`.
Schedule on(Ranks ranks, const Schedule& a, Rank world, Block offset, Block blocks);

/// `a` on each of `groups` disjoint groups of ranks at once: group i's on its blocks `offset(i)` onwards.
Schedule on_each(Rank groups, std::function<Ranks(Rank)> group, const Schedule& a, Rank world,
                 std::function<Block(Rank)> offset, Block blocks);

/// Schedules on disjoint ranks of one world and the same blocks, all at once.
Schedule together(std::vector<Schedule> parts);

/// The same schedule with each block cut into `pieces`.
Schedule refine(const Schedule& a, Block pieces);

/// `a` with its rank r played by rank `name(r)` of a world of `world` ranks. Every multicast group must stay
/// the same set of ranks.
Schedule renamed(const Schedule& a, Rank world, std::function<Rank(Rank)> name);

/// `a` backwards: the last step first, every message from its receiver to its sender. A broadcast becomes a
/// reduce, an allgather a reduce-scatter, a scatter a gather. `a` has one channel and no multicast.
Schedule mirrored(const Schedule& a, Combine combine);

/// A schedule with no step.
Schedule idle(Rank ranks, Block blocks);

}  // namespace collcast
