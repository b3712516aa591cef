// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// a, then b, on the same ranks and blocks. A rank starts b when its own part of a is done.
Schedule then(Schedule a, Schedule b);

/// a and b in a pipeline: b's first step is a's step `start`. Same ranks and blocks, one channel each.
Schedule staggered(Schedule a, Schedule b, std::int64_t start);

/// a and b side by side on channels of their own, over the same ranks. b's blocks are numbered after a's.
Schedule beside(Schedule a, Schedule b);

/// a on some ranks of a world of `world` ranks. Its blocks become `offset`, `offset + 1`, ... of `blocks`.
Schedule on(Ranks ranks, const Schedule& a, Rank world, Block offset, Block blocks);

/// a on each of `groups` disjoint groups of ranks at once. Group i's blocks become `offset(i)` and those that
/// follow it, of `blocks`.
Schedule on_each(Rank groups, std::function<Ranks(Rank)> group, const Schedule& a, Rank world,
                 std::function<Block(Rank)> offset, Block blocks);

/// Several schedules at once, on disjoint ranks of one world and the same blocks.
Schedule together(std::vector<Schedule> parts);

/// a with each block cut into `pieces` blocks.
Schedule refine(const Schedule& a, Block pieces);

/// a with its rank r renumbered `name(r)` in a world of `world` ranks. Every multicast group must stay the
/// same set of ranks.
Schedule renamed(const Schedule& a, Rank world, std::function<Rank(Rank)> name);

/// a in reverse: the last step first, every message from its receiver to its sender. A broadcast becomes a
/// reduce, an allgather a reduce-scatter, a scatter a gather. a has one channel and no multicast.
Schedule mirrored(const Schedule& a, Combine combine);

/// A schedule without steps.
Schedule idle(Rank ranks, Block blocks);

}  // namespace collcast
