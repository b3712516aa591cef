// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/player/player.hpp"

namespace collcast {

/// Whether this build has SimGrid.
bool can_simulate();

/// Plays a program with SimGrid, in a process of its own: what the program learns while it is played is lost.
/// Throws InputError in a build without SimGrid.
Result simulate_program(Program& program, const Fabric& fabric, const PlayOptions& options = {});

/// The same in this process.
Result simulate_program_here(Program& program, const Fabric& fabric, const PlayOptions& options = {});

}  // namespace collcast
