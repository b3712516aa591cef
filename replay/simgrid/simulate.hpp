// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/player/player.hpp"

namespace collcast {

struct SimulateOptions {
  PlayOptions play;
  /// Lone flows too are left to SimGrid: the same times, slower.
  bool all_to_simgrid = false;
};

/// Plays a program on `fabric` with contention, in a child process: SimGrid can be set up only once per
/// process and starts at time 0. What the program changes in memory while it is read stays in the child; the
/// observer and the progress function are called here. Throws as `play` does, and SubstrateError if SimGrid
/// fails.
Result simulate(Program& program, const Fabric& fabric, const SimulateOptions& options = {});

/// The same in this process; once per process.
Result simulate_here(Program& program, const Fabric& fabric, const SimulateOptions& options = {});

}  // namespace collcast
