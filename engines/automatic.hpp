// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engines/engine.hpp"

namespace collcast {

/// The engine that reads a schedule, and a note if it is not the obvious one.
struct ResolvedEngine {
  const Engine* engine;
  std::string_view note;

  /// Whether the schedule has too many messages to play, so that samples of it are played.
  bool sampled() const { return !note.empty(); }
};

/// Whether two messages of the schedule can be on one link at the same time, which the critical path does not
/// model (except at their own ports). False if the schedule has too many messages to look at.
bool messages_may_share(const Schedule& schedule, const Fabric& fabric);

/// `engine` itself unless it is `auto`, which stands for contention if two messages can share a link. It
/// stands for the critical path if none can, as both are then equal, or if there are too many messages to
/// play.
ResolvedEngine resolve(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric);

/// How many times as long as on the critical path messages take with contention.
struct Stretch {
  double mean = 1, most = 1;  ///< over the samples
};
/// Plays samples of the schedule with some 100,000 messages each. In a step with more than 30,000 messages
/// only some are played.
Stretch stretched_by_sharing(const SizedSchedule& subject, const Fabric& fabric);

}  // namespace collcast
