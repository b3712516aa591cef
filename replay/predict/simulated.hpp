// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/player/player.hpp"

namespace collcast {

/// Plays a program with SimGrid. Throws InputError in a build without it.
Result simulate_program(Program& program, const Fabric& fabric, const PlayOptions& options = {});

}  // namespace collcast
