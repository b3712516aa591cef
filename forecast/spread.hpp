// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/engine.hpp"

namespace collcast {

/// A reading, and the limits between which readings of almost the same message lie.
struct Spread {
  Reading reading;
  Seconds least, most;
  bool chaotic = false;  ///< rounding decides: `reading` is the median one
};

/// Reads a schedule; where that is a long play with contention, once more with a message that is larger by a
/// billionth. If this moves the time by more than a millionth, and one that is smaller does too, the play
/// amplifies rounding, and the answer is the median of three.
Spread read_spread(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric);

/// The times at both ends of a platform's uncertainty, relative to the nominal one.
struct Ends {
  double least = 1, most = 1;
  void include(Seconds fast, Seconds centre, Seconds slow);
};

/// How far the parameters move the time, at both ends of their uncertainty. If the engine is slow and there
/// are more than a few messages, the critical path and the most loaded link answer in its place. `time`: the
/// engine's answer on `nominal`.
Ends read_ends(const Engine& engine, const SizedSchedule& subject, Seconds time, const Fabric& nominal,
               const Fabric& fast, const Fabric& slow);

}  // namespace collcast
