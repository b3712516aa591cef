// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engines/engine.hpp"

namespace collcast {

/// The engine that answers for `engine`, and what there is to say of that; empty: nothing.
struct Answering {
  const Engine* engine;
  std::string_view note;
};

/// `engine` itself, unless it is `auto`: contention where two messages can share a link, the critical path
/// where none can (both are then equal) and where there are too many messages to play.
Answering answering(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric);

}  // namespace collcast
