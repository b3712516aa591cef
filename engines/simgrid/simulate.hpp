// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/player/player.hpp"

namespace collcast {

/// Which flows SimGrid computes: those that share a link, or all, which gives the same times.
enum class BySimgrid : std::uint8_t { meeting, all };

/// Plays a program on `fabric` with contention. Throws as `play` does, and SubstrateError if SimGrid fails.
///
/// It runs in a child process, where SimGrid's clock starts at 0: the result is the same, byte for byte,
/// whatever was simulated before, and SimGrid's fatal errors do not end this process. What the program
/// changes in memory while it is played is lost; observer and progress function are called in this process.
///
/// With `options.here` it runs in this process, where SimGrid's clock goes on from call to call, so later
/// results may differ in their last digits. Not thread-safe.
Result simulate(Program& program, const Fabric& fabric, const PlayOptions& options = {},
                BySimgrid by_simgrid = BySimgrid::meeting);

}  // namespace collcast
