// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engines/player/player.hpp"
#include "model/layout.hpp"

namespace collcast {

/// Plays a schedule with contention, but of its steps that repeat (repeats.hpp) only as many periods as it
/// takes until each goes like the one before it; the others would go like these.
///
/// 1. A few periods of each repeat are played, and the times of every message noted.
/// 2. Before the last period begins, and after the first has ended, all messages must come at the times of
///    the period before, later by the same delay, for three delays or more. Then the network goes through
///    the same states again and again, and would do so for any number of periods.
/// 3. If they do not, twice as many periods are played.
/// 4. A play with one more period says what a period adds to the time, the ports and the links; it must add
///    that same delay.
///
/// Null if nothing repeats often enough, or never goes like before: then the whole has to be played. `first`:
/// how many periods are played at first. The sizes of the blocks must be equal. Throws as `play` does.
std::optional<Result> contend_until_steady(const Schedule& schedule, const Layout& layout,
                                           const Fabric& fabric, bool explain = false,
                                           std::int64_t first = 8);

}  // namespace collcast
