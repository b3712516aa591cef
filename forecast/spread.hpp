// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/engine.hpp"

namespace collcast {

/// A reading of a schedule, and how far rounding alone moves its time.
struct Spread {
  Reading reading;
  Seconds least, most;   ///< of the times of all messages that were read: they differ by a billionth in size
  bool chaotic = false;  ///< rounding decides: `reading` is the median one
};

/// Reads a schedule; where that is a long play with contention, once more with a message that is larger by a
/// billionth. If this moves the time by more than a millionth, and one that is smaller does too, the play
/// amplifies rounding, and the answer is the median of three.
Spread read_spread(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric);

/// The times at the fast and the slow end of a platform's uncertainty, as multiples of the nominal time.
struct Ends {
  double least = 1, most = 1;  ///< at most 1, and at least 1
  void include(Seconds fast, Seconds centre, Seconds slow);
};

/// How far the parameters move the time, at both ends of their uncertainty. If the engine is slow and there
/// are more than a few messages, the critical path and the most loaded link answer in its place. `time`: the
/// engine's answer on `nominal`.
Ends read_ends(const Engine& engine, const SizedSchedule& subject, Seconds time, const Fabric& nominal,
               const Fabric& fast, const Fabric& slow);

}  // namespace collcast
