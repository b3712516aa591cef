// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/calibration/piecewise.hpp"
#include "model/network.hpp"

namespace collcast {

/// Half a round trip: overhead, handshake, latency, the bytes, overhead. Nothing else is on its way.
Seconds half_round_trip(const Wire& wire, Bytes message);

/// What one message of a window takes, a short reply included (osu_bw): the sender, the port or the receiver
/// takes each message after the one before; the handshakes overlap.
Seconds windowed(const Wire& wire, const Wire& reply, Bytes message, int window);

/// Point-to-point tables of one path between two ranks; either may be empty, not both.
struct PathTables {
  Samples latency;   ///< half round trips
  Samples messages;  ///< times of one message of a window
  int window = 64;   ///< of `messages`
};

/// What messages of a size and more cost on a path, in LogGP's terms; absent where no table says it.
struct PathPiece {
  Bytes from;
  Bytes first, last;                       ///< measured sizes
  std::optional<Estimate<Seconds>> fixed;  ///< all that half a round trip holds besides bytes
  std::optional<Estimate<Seconds>> gap;    ///< between messages of a window, besides their bytes
  Estimate<SecondsPerByte> per_byte;       ///< G: what each byte holds the port
  SecondsPerByte copied;                   ///< what each byte adds to the latency alone: copies on the way
};

struct PathFit {
  std::vector<PathPiece> pieces;
  PiecewiseFit lines;  ///< curve 0 is the first table that there is
  int window = 64;

  /// What the fit says to the tables that it was made from. Throws std::bad_optional_access where it has
  /// none.
  Seconds latency(Bytes message) const;
  Seconds of_window(Bytes message) const;
  SecondsPerByte per_byte(Bytes message) const { return at(message).per_byte.value; }

 private:
  const PathPiece& at(Bytes message) const;
};

PathFit fit_path(const PathTables& tables, const PiecewiseOptions& options = {});

}  // namespace collcast
