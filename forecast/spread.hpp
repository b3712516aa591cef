// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/engine.hpp"

namespace collcast {

/// A reading of a schedule, and how far rounding alone moves the time.
struct Spread {
  Reading reading;
  Seconds least, most;   ///< the times of all readings, whose messages differ by a billionth in size
  bool chaotic = false;  ///< rounding decides: `reading` is the median one
};

/// Reads a schedule; if that is a long play with contention, reads it again with a message that is larger by
/// a billionth. If that moves the time by more than a millionth, and a message that is smaller by a billionth
/// does so too, the play amplifies rounding. Then the answer is the median of the three.
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
