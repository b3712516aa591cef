// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/player/player.hpp"

namespace collcast {

/// Which flows SimGrid computes: those that meet others on a link, or, to the same times, all.
enum class BySimgrid : std::uint8_t { meeting, all };

/// Plays a program on `fabric` with contention. Throws as `play` does, and SubstrateError if SimGrid fails.
///
/// In a child process: SimGrid's clock starts at 0, so the result is the same, byte for byte, whatever was
/// simulated before, and SimGrid's fatal errors do not end this process. What the program changes in memory
/// while it is read stays in the child; the observer and the progress function are called here.
///
/// With `options.here` in this process: SimGrid's clock goes on from call to call, so later results may
/// differ in their last digits. Not from several threads at once.
Result simulate(Program& program, const Fabric& fabric, const PlayOptions& options = {},
                BySimgrid by_simgrid = BySimgrid::meeting);

}  // namespace collcast
