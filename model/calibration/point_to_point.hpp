// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/calibration/piecewise.hpp"
#include "model/network.hpp"

namespace collcast {

/// Half a round trip on an idle network: overhead, handshake, latency, the bytes, receive overhead.
Seconds half_round_trip(const Wire& wire, Bytes message);

/// The time per message of a window of messages and a short reply (osu_bw). Messages follow each other at the
/// pace of the sender, the port or the receiver, whichever is slowest; their handshakes overlap.
Seconds windowed(const Wire& wire, const Wire& reply, Bytes message, int window);

/// Point-to-point measurements of one path between two ranks. One of the tables may be empty.
struct PathTables {
  Samples latency;   ///< half round trips
  Samples messages;  ///< times per message of a window
  int window = 64;   ///< of `messages`
};

/// The costs of messages from size `from` to the next piece, in LogGP's terms; empty where no table tells.
struct PathPiece {
  Bytes from;
  Bytes first, last;                       ///< measured sizes
  std::optional<Estimate<Seconds>> fixed;  ///< half a round trip without the bytes
  std::optional<Estimate<Seconds>> gap;    ///< between messages of a window, without the bytes
  Estimate<SecondsPerByte> per_byte;       ///< G: for which each byte occupies the port
  SecondsPerByte copied;                   ///< what each byte adds to the latency alone, as copies do
  bool bridge = false;  ///< from one measured size to the next, of which it has none itself

  /// Whether its messages are long enough for their bytes to be told from what each message costs.
  bool knows_pace() const { return per_byte.deviation < 0.5 * per_byte.value; }
};

struct PathFit {
  std::vector<PathPiece> pieces;
  PiecewiseFit lines;           ///< curve 0 is the first table that is not empty
  std::vector<Bytes> levelled;  ///< sizes whose times were levelled, by more than runs differ
  int window = 64;

  /// Whether half round trips were measured of messages like this one.
  bool knows_latency(Bytes message) const { return at(message).fixed.has_value(); }
  /// The fitted values of the tables. Throws std::bad_optional_access where a table has no size of the piece.
  Seconds latency(Bytes message) const;
  Seconds of_window(Bytes message) const;
  SecondsPerByte per_byte(Bytes message) const { return at(message).per_byte.value; }

 private:
  const PathPiece& at(Bytes message) const;
};

/// Larger messages take longer, by `links` or more for each byte. Where lines through the tables say
/// otherwise, the tables are levelled as little as that needs (`growing`), and fitted again.
PathFit fit_path(const PathTables& tables, SecondsPerByte links = {}, const PiecewiseOptions& options = {});

}  // namespace collcast
