// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/engine.hpp"

namespace collcast {

/// A reading, and the limits between which others of all but the same message lie.
struct Spread {
  Reading reading;
  Seconds least, most;
  bool chaotic = false;  ///< rounding decides: `reading` is the median one
};

/// Reads a schedule; where that is a long play with contention, once more with a message that is larger by a
/// billionth. If this moves the time by more than a millionth, and one that is smaller does too, the play
/// amplifies rounding, and the answer is the median of three.
Spread read_spread(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric);

/// Times at both ends of a platform's uncertainty, as shares of the one between.
struct Ends {
  double least = 1, most = 1;
  void include(Seconds fast, Seconds centre, Seconds slow);
};

/// Of an engine that takes long, and of more than a few messages, the critical path says how far the
/// parameters move the answer, and the most loaded link, which it does not see. `time`: what `engine` said of
/// `nominal`.
Ends read_ends(const Engine& engine, const SizedSchedule& subject, Seconds time, const Fabric& nominal,
               const Fabric& fast, const Fabric& slow);

}  // namespace collcast
