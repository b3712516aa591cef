// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedule.hpp"

namespace collcast {

/// First a, then b, on the same ranks and blocks: each rank starts b when its own part of a is done.
Schedule then(Schedule a, Schedule b);

/// a and b side by side, on channels of their own, over the same ranks; b's blocks follow a's.
Schedule beside(Schedule a, Schedule b);

/// a on the given ranks of a world of `world` ranks, on its blocks `offset`, `offset + 1`, ... of `blocks`.
Schedule on(Ranks ranks, const Schedule& a, Rank world, Block offset, Block blocks);

/// Schedules on disjoint ranks of one world and the same blocks, all at once.
Schedule together(std::vector<Schedule> parts);

/// The same schedule with each block cut into `pieces`.
Schedule refine(const Schedule& a, Block pieces);

/// The same schedule with rank r of `a` played by `name(r)`, a permutation that keeps every multicast group
/// as a set.
Schedule renamed(const Schedule& a, std::function<Rank(Rank)> name);

}  // namespace collcast
