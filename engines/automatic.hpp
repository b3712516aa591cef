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

/// Whether two of its messages can be on a link at a time, beyond their own ports: what the critical path
/// does not see. Of more messages than are looked at: no.
bool messages_may_share(const Schedule& schedule, const Fabric& fabric);

/// `engine` itself, unless it is `auto`: contention where two messages can share a link, the critical path
/// where none can (both are then equal) and where there are too many messages to play.
Answering answering(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric);

}  // namespace collcast
