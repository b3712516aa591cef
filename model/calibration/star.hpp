// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/calibration/line.hpp"

namespace collcast {

/// A measurement of messages that wait for each other.
struct Star {
  /// out, in, both: rank 0 sends to `peers` other ranks, receives from them, or both, in turn. pairs: each of
  /// `peers` ranks behind one port sends to a rank behind another port, all at once.
  enum class Way { out, in, both, pairs };
  Way way = Way::out;
  int peers = 1, window = 1;  ///< window: messages per peer
  Bytes message;
  Seconds time;             ///< from the common start to the arrival of the last message
  Seconds lone;             ///< the time of one such message on its own
  SecondsPerByte per_byte;  ///< in a stream of such messages
};

/// LogGP's costs that the time of a lone message cannot separate.
struct StarCosts {
  Seconds overhead, receive_overhead, gap;
  SecondsPerByte port;  ///< how long a byte occupies a port that ranks share
};

/// The time of a star with these costs, by the rules of docs/time-model.md on an idle network.
Seconds star_time(const Star& star, const StarCosts& costs);

/// A fitted cost.
struct StarCost {
  double value = 0, deviation = 0;  ///< in seconds, or seconds per byte
  bool determined = false;  ///< whether the stars determine it; if not, `value` is the expected one, lowered
                            ///< to what they allow
  bool lowered = false;     ///< not determined, and below what was expected
};

struct StarFit {
  StarCost overhead, receive_overhead, gap, port;
  double noise = 0, mean_residual = 0;
  /// How many times as much longer than fitted the largest exchanges take, compared with one-way stars: the
  /// fit assumes full-duplex ports.
  double exchange = 1;

  StarCosts costs() const {
    return {Seconds(overhead.value), Seconds(receive_overhead.value), Seconds(gap.value),
            SecondsPerByte(port.value)};
  }
};

/// Fits the costs by least squares of relative residuals with Huber weights, none negative. A cost is
/// determined if two standard deviations are at most half of it, or 3 % of a small lone message (port: 10 %);
/// the others are taken from `expected`. Needs at least one star.
StarFit fit_stars(const std::vector<Star>& stars, const StarCosts& expected);

}  // namespace collcast
