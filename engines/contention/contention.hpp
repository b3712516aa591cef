// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/player/player.hpp"

namespace collcast {

/// Plays a program on `fabric` with contention: ports serve messages in order, flows share links max-min.
/// Throws as `play` does.
Result contend(Program& program, const Fabric& fabric, const PlayOptions& options = {});

}  // namespace collcast
