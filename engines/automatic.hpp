// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engines/engine.hpp"

namespace collcast {

/// The engine that reads a schedule, and a note if it is not the obvious one.
struct ResolvedEngine {
  const Engine* engine;
  std::string_view note;

  /// There are too many messages to play.
  bool sampled() const { return !note.empty(); }
};

/// Whether two messages of the schedule can be on one link at the same time, besides their own ports, which
/// the critical path does not model. False if it has too many messages to look at.
bool messages_may_share(const Schedule& schedule, const Fabric& fabric);

/// `engine` itself, unless it is `auto`, which stands for contention if two messages can share a link, and
/// for the critical path if none can (both are then equal) or if there are too many messages to play.
ResolvedEngine resolve(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric);

/// How many times as long as by critical path messages take with contention.
struct Stretch {
  double mean = 1, most = 1;  ///< of the samples
};
/// By samples of the schedule, some 100,000 messages each; of a step with more than 30,000 only some are
/// played.
Stretch stretched_by_sharing(const SizedSchedule& subject, const Fabric& fabric);

}  // namespace collcast
