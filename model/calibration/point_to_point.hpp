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
  std::optional<Estimate<Seconds>> gap;    ///< time between messages of a window, without the bytes
  Estimate<SecondsPerByte> per_byte;       ///< G: how long each byte occupies the port
  SecondsPerByte copied;                   ///< what each byte adds to the latency alone, as copies do
  bool bridge = false;                     ///< between two measured sizes; it holds none itself

  /// Whether its messages are long enough to separate the cost of their bytes from the cost of a message.
  bool knows_pace() const { return per_byte.deviation < 0.5 * per_byte.value; }
};

struct PathFit {
  std::vector<PathPiece> pieces;
  PiecewiseFit lines;           ///< curve 0 is the first table that is not empty
  std::vector<Bytes> levelled;  ///< sizes whose times levelling changed by more than runs differ

  /// Whether half round trips were measured of messages like this one.
  bool knows_latency(Bytes message) const { return at(message).fixed.has_value(); }
  /// The fitted value of the table of half round trips. Throws std::bad_optional_access if it has no size in
  /// the piece of the message.
  Seconds latency(Bytes message) const;
  SecondsPerByte per_byte(Bytes message) const { return at(message).per_byte.value; }

 private:
  const PathPiece& at(Bytes message) const;
};

/// Fits both tables. Larger messages take longer, by at least `links` for each byte, or by less if a latency
/// of the table contradicts that. Where lines through the tables fall, the tables are changed as little as
/// needed (`isotonic`), and fitted again.
PathFit fit_path(const PathTables& tables, SecondsPerByte links = {}, const PiecewiseOptions& options = {});

}  // namespace collcast
