// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

namespace collcast {

/// One end of a link where messages queue. Ports are numbered 0, 1, ... by the network that they belong to.
using Port = std::uint32_t;

/// What a message of one size between two places costs on an idle network, in LogGP's terms.
struct Wire {
  Seconds latency;           ///< L
  Seconds overhead;          ///< o at the sender
  Seconds receive_overhead;  ///< o at the receiver
  Seconds gap;               ///< a port is busy for this and its bytes' time with each message
  SecondsPerByte per_byte;   ///< G: of the slowest link on the way, or of slower software
  Port out = 0, in = 0;      ///< where it leaves and where it arrives
  /// Where the critical path has it queue: at `out` and `in`, unless a network that ranks share says
  /// otherwise.
  static constexpr Port as_port = ~Port{0}, nowhere = as_port - 1;
  Port out_queue = as_port, in_queue = as_port;
  /// The sender goes on after `overhead`; else both sides must be there first (rendezvous).
  bool eager = true;
  Seconds handshake = {};  ///< what a rendezvous adds before the first byte leaves
  /// So much of `per_byte` is due to software: the sender's next message waits for it, its ports do not.
  SecondsPerByte software = {};
  /// The sender's channel moves the bytes itself, as a GPU's threads do: it goes on when the last has left,
  /// and what other channels send waits for the port alone.
  bool streamed = false;
  double framing = 1;  ///< bytes on the links for each of the message: flags and headers

  /// How long the bytes occupy a port.
  Seconds occupation(Bytes bytes) const { return bytes * (per_byte - software); }
};

/// What the switches do with a message on its way.
enum class Switching : std::uint8_t { multicast, reduction };

/// Such a message: what it costs, and how many bytes the links carry for it.
struct Switched {
  Wire wire;
  Bytes bytes;
};

/// Where a network does not tell them apart, it costs what any message does.
template <class Network>
Switched switched(const Network& network, Switching what, Place from, Place to, Bytes bytes) {
  if constexpr (requires { network.switched(what, from, to, bytes); })
    return network.switched(what, from, to, bytes);
  else
    return {network.wire(from, to, bytes), bytes};
}

/// When a port takes its next message, and when a sender goes on.
struct Protocol {
  /// injection: once the last byte has left (LogGP). delivery: once the message has arrived (Hockney,
  /// single-ported).
  enum class Hold : std::uint8_t { injection, delivery };
  Hold hold = Hold::injection;
  /// Messages above this size are rendezvous, where their wires know no limit of their own.
  Bytes eager_limit = Bytes(std::numeric_limits<double>::infinity());
  Seconds handshake;  ///< of a rendezvous, likewise
};

/// The smallest size above a limit.
inline Bytes just_above(Bytes limit) {
  return Bytes(std::nextafter(limit.value, std::numeric_limits<double>::infinity()));
}

/// Hockney's machine with reduction: a message of n bytes takes alpha + n beta, reducing n bytes takes n
/// gamma. Single-ported, full duplex, synchronous: the machine of the textbook formulas.
struct AlphaBetaGamma {
  Seconds alpha;
  SecondsPerByte beta, gamma;
};

/// LogGP with Ino's eager limit S and a reduction cost.
/// Alexandrov et al., SPAA 1995; Ino et al., PPoPP 2001.
struct LogGP {
  Seconds L, o, g;
  SecondsPerByte G;
  SecondsPerByte gamma;
  Bytes S = Bytes(std::numeric_limits<double>::infinity());
};

/// A network of `ranks` ranks that all have one port each way and the same wire between any two.
class UniformNetwork {
 public:
  UniformNetwork(const AlphaBetaGamma& m, Rank ranks,
                 const Protocol& protocol = {Protocol::Hold::delivery, Bytes(-1), {}})
      : ranks_(ranks), wire_{m.alpha, {}, {}, {}, m.beta}, gamma_(m.gamma), protocol_(protocol) {}
  UniformNetwork(const LogGP& m, Rank ranks)
      // LogGP counts k - 1 gaps G for k bytes: the first byte's G comes off the latency and the gap.
      : ranks_(ranks), wire_{m.L - Bytes(1) * m.G, m.o, m.o, m.g - Bytes(1) * m.G, m.G}, gamma_(m.gamma) {
    protocol_ = {Protocol::Hold::injection, m.S, 2 * (m.L + 2 * m.o)};
  }

  Wire wire(Place from, Place to, Bytes bytes) const {
    Wire w = wire_;
    w.out = static_cast<Port>(from.rank);
    w.in = static_cast<Port>(to.rank + ranks_);
    if (from.rank == to.rank) return {{}, {}, {}, {}, {}, w.out, w.in};
    w.eager = bytes <= protocol_.eager_limit;
    w.handshake = protocol_.handshake;
    return w;
  }
  /// The sizes from which on wires differ from those of smaller messages, 0 first.
  std::vector<Bytes> sizes() const {
    const Bytes limit = protocol_.eager_limit;
    if (limit < Bytes(0) || std::isinf(limit.value)) return {Bytes(0)};
    return {Bytes(0), just_above(limit)};
  }
  SecondsPerByte gamma(Place) const { return gamma_; }
  const Protocol& protocol() const { return protocol_; }
  /// Hockney's machine, if that is what this is.
  std::optional<AlphaBetaGamma> hockney() const {
    if (protocol_.hold != Protocol::Hold::delivery) return {};
    return AlphaBetaGamma{wire_.latency, wire_.per_byte, gamma_};
  }
  Port ports() const { return static_cast<Port>(2 * ranks_); }
  Port queues() const { return ports(); }

 private:
  Rank ranks_;
  Wire wire_;
  SecondsPerByte gamma_;
  Protocol protocol_;
};

}  // namespace collcast
