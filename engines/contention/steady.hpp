// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engines/player/player.hpp"
#include "model/layout.hpp"

namespace collcast {

/// Plays a schedule with contention. Of steps that repeat (repeats.hpp) it plays only as many periods as it
/// takes until each goes like the one before; the others would go the same way.
///
/// 1. A few periods of each repeat are played, and the times of every message noted.
/// 2. Between the end of the first period and the beginning of the last, for three delays or more, all
/// messages must come at the times of the period before, later by the same delay. Then the network goes
/// through the same states again and again, and would do so for any number of periods.
/// 3. If they do not, twice as many periods are played.
/// 4. A play with one more period tells what a period adds to the time, the ports and the links. It must add
/// that same delay.
///
/// Null if nothing repeats often enough, or if no period goes like the one before: then the whole schedule
/// has to be played. `first`: how many periods are played at first. The sizes of the blocks must be equal.
/// Throws as `play` does.
std::optional<Result> contend_until_steady(const Schedule& schedule, const Layout& layout,
                                           const Fabric& fabric, bool explain = false,
                                           std::int64_t first = 8);

}  // namespace collcast
