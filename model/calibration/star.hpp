// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/calibration/line.hpp"

namespace collcast {

/// Messages that keep each other waiting, as they were measured.
struct Star {
  /// out, in, both: between rank 0 and each of `peers` others, in turn. pairs: from each of `peers` ranks
  /// behind one port to one behind another, side by side.
  enum class Way { out, in, both, pairs };
  Way way = Way::out;
  int peers = 1, window = 1;  ///< messages to or from each
  Bytes message;
  Seconds time;  ///< from the common start until the last is there

  // What such a message takes alone, and each of its bytes in a stream of them.
  Seconds lone;
  SecondsPerByte per_byte;
};

/// LogGP's costs that a lone message does not tell apart.
struct StarCosts {
  Seconds overhead, receive_overhead, gap;
  SecondsPerByte port;  ///< what a byte holds a port, whoever sends it
};

/// What these costs make of a star, by the rules of docs/time-model.md on an idle network.
Seconds star_time(const Star& star, const StarCosts& costs);

/// A cost that stars say, or do not.
struct StarCost {
  double value = 0, deviation = 0;  ///< in seconds, or per byte
  bool determined = false;  ///< else it is the value that was expected, lowered to what the data allow
};

struct StarFit {
  StarCost overhead, receive_overhead, gap, port;
  double noise = 0, mean_residual = 0;
  double exchange =
      1;  ///< how much longer the largest exchanges take than the fit says, where ports are full duplex

  StarCosts costs() const {
    return {Seconds(overhead.value), Seconds(receive_overhead.value), Seconds(gap.value),
            SecondsPerByte(port.value)};
  }
};

/// Relative least squares with Huber's weights, no cost negative. A cost is determined where two standard
/// deviations are at most half of it or 3 % of a small lone message (port: 10 %); the others are `expected`.
/// Needs a star.
StarFit fit_stars(const std::vector<Star>& stars, const StarCosts& expected);

}  // namespace collcast
