// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/catalogue.hpp"
#include "engines/engine.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// The call with the number of segments that is fastest with contention, if `engine` models it and messages
/// may meet: on links that they share, many short messages may pass each other where few long ones wait. The
/// search starts at the call's own number, the fastest by critical path, which contention does not beat. It
/// considers schedules of up to 50,000 messages.
Call in_played_segments(const Fabric& fabric, const Algorithm& algorithm, Call call, const Engine& engine);

}  // namespace collcast
