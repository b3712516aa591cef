// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/player/player.hpp"

namespace collcast {

/// Whether this build includes SimGrid.
bool can_simulate();

/// Plays a program with SimGrid (engines/simgrid/simulate.hpp). Throws InputError in a build without SimGrid.
Result simulate_program(Program& program, const Fabric& fabric, const PlayOptions& options = {});

}  // namespace collcast
