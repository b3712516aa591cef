// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/catalogue.hpp"
#include "engines/engine.hpp"
#include "libraries/parameters.hpp"

namespace collcast {

/// The call with the segments, radix and channels that are fastest with contention, except for those that the
/// user stated; unchanged if `engine` does not model contention or messages cannot meet. On links that
/// messages share, many short messages may pass each other where few long ones wait. The search starts at the
/// call's own parameters, the fastest by critical path. It considers schedules of up to 50,000 messages.
Call in_played_parameters(const Fabric& fabric, const Algorithm& algorithm, Call call, const Stated& stated,
                          const Engine& engine);

}  // namespace collcast
