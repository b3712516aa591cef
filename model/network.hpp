// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

namespace collcast {

/// An end of a link, at which messages queue. Each network numbers its ports 0, 1, ...
using Port = std::uint32_t;

/// The cost of a message of one size between two places on an idle network, in LogGP's terms.
struct Wire {
  Seconds latency;           ///< L
  Seconds overhead;          ///< o of the sender
  Seconds receive_overhead;  ///< o of the receiver
  Seconds gap;               ///< g: how long a message occupies a port, besides its bytes
  SecondsPerByte per_byte;   ///< G: of the slowest link on the route, or of slower software
  Port out = 0, in = 0;      ///< where the message leaves and where it arrives
  /// Where the message queues on the critical path: at `out` and `in`, in another queue of the network, or,
  /// on a network whose ports ranks share, nowhere.
  static constexpr Port as_port = ~Port{0}, nowhere = as_port - 1;
  Port out_queue = as_port, in_queue = as_port;
  /// Eager: the sender goes on after `overhead`. Otherwise rendezvous: both sides must be there first.
  bool eager = true;
  Seconds handshake = {};  ///< of a rendezvous, before the first byte leaves
  /// The part of `per_byte` that software takes. It holds up the sender's next message, but not its ports.
  SecondsPerByte software = {};
  /// The sender itself moves the bytes, as the threads of a GPU do, and goes on when the last has left.
  /// Messages of its other channels wait only for the port.
  bool streamed = false;
  /// When the port serves the next message, with contention; messages under way share links. Without
  /// contention a port always serves one message after the other.
  enum class Next : std::uint8_t {
    when_left,  ///< when the last byte has left
    at_once,    ///< as a network card serves separate connections
    when_due,  ///< when the last byte would have left on an idle network: a message that is slowed further on
               ///< delays none behind it
  };
  Next next = Next::when_left;
  double framing = 1;  ///< bytes on the links per byte of the message, as flags and headers are added
  /// What the sender pays besides `overhead` if the receiver's last message came from another sender.
  Seconds other_sender = {};
  /// How much less time a byte takes at the port where it arrives than on the slowest link.
  SecondsPerByte spare_in = {};
  /// The same for the port where it leaves, if that port serves messages of other queues meanwhile.
  SecondsPerByte spare_out = {};

  /// How long the bytes of a message occupy the slowest link, the port where they leave, and the port where
  /// they arrive.
  Seconds occupation(Bytes bytes) const { return bytes * (per_byte - software); }
  Seconds occupation_out(Bytes bytes) const { return bytes * (per_byte - software - spare_out); }
  Seconds occupation_in(Bytes bytes) const { return bytes * (per_byte - software - spare_in); }
  /// The share of the gap in the time for which a message holds the port where it leaves.
  double gap_share(Bytes bytes) const { return gap > Seconds(0) ? gap / (gap + occupation(bytes)) : 0; }
};

/// What switches do with a message: they replicate it, or reduce it with others.
enum class Switching : std::uint8_t { multicast, reduction };

/// The cost of a message that switches replicate or reduce.
struct Switched {
  Wire wire;
  Bytes bytes;  ///< bytes that the links carry
};

/// How messages use ports, and which of them are eager.
struct MessageProtocol {
  /// How long a message holds its ports. injection: until its last byte has left (LogGP). delivery: until it
  /// has arrived (Hockney's single-ported machine).
  enum class Hold : std::uint8_t { injection, delivery };
  Hold hold = Hold::injection;
  /// Messages above this size are rendezvous, unless their wires have a limit of their own.
  Bytes eager_limit = Bytes(std::numeric_limits<double>::infinity());
  Seconds handshake = {};      ///< of a rendezvous, unless its wire has its own
  bool other_senders = false;  ///< wires may have an `other_sender`
  /// Each channel of a schedule has a processor of its own, as a thread block of a GPU is. Otherwise one
  /// processor of the rank pays for the messages of all its channels.
  bool channels_pay = false;
};

/// What a schedule is read against: what a message costs between two places, which ports it uses, and what a
/// reduction takes (docs/time-model.md). It may also have `switched`, `processor`, `hockney` and `kind`, as
/// Fabric.
template <class Network>
concept AnyNetwork = requires(const Network& network, Place place, Bytes bytes) {
  { network.wire(place, place, bytes) } -> std::same_as<Wire>;
  { network.gamma(place) } -> std::same_as<SecondsPerByte>;
  { network.protocol() } -> std::convertible_to<const MessageProtocol&>;
  { network.ports() } -> std::same_as<Port>;
  { network.queues() } -> std::same_as<Port>;
};

/// The cost of a message that switches replicate or reduce, or of any message if the network does not
/// distinguish them.
template <AnyNetwork Network>
Switched switched(const Network& network, Switching what, Place from, Place to, Bytes bytes) {
  if constexpr (requires { network.switched(what, from, to, bytes); })
    return network.switched(what, from, to, bytes);
  else
    return {network.wire(from, to, bytes), bytes};
}

/// The smallest size above a limit.
inline Bytes just_above(Bytes limit) {
  return Bytes(std::nextafter(limit.value, std::numeric_limits<double>::infinity()));
}

/// Hockney's machine with reductions, which textbook formulas assume: a message of n bytes takes alpha + n
/// beta, reducing n bytes takes n gamma; single-ported, full duplex, synchronous.
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

/// A network of `ranks` ranks, each with one port in and one out, and the same wire between any two.
class UniformNetwork {
 public:
  UniformNetwork(const AlphaBetaGamma& m, Rank ranks,
                 const MessageProtocol& protocol = {MessageProtocol::Hold::delivery, Bytes(-1), {}})
      : ranks_(ranks), wire_{m.alpha, {}, {}, {}, m.beta}, gamma_(m.gamma), protocol_(protocol) {}
  UniformNetwork(const LogGP& m, Rank ranks)
      // LogGP counts k - 1 gaps G for k bytes: the first byte's G comes off the latency and the gap.
      : ranks_(ranks), wire_{m.L - Bytes(1) * m.G, m.o, m.o, m.g - Bytes(1) * m.G, m.G}, gamma_(m.gamma) {
    protocol_ = {MessageProtocol::Hold::injection, m.S, 2 * (m.L + 2 * m.o)};
  }

  Wire wire(Place from, Place to, Bytes bytes) const {
    Wire w = wire_;
    if (from.rank == to.rank) {
      w = {};
    } else {
      w.eager = bytes <= protocol_.eager_limit;
      w.handshake = protocol_.handshake;
    }
    w.out = static_cast<Port>(from.rank);
    w.in = static_cast<Port>(to.rank + ranks_);
    return w;
  }
  /// The sizes at which wires change, ascending from 0.
  std::vector<Bytes> sizes() const {
    const Bytes limit = protocol_.eager_limit;
    if (limit < Bytes(0) || std::isinf(limit.value)) return {Bytes(0)};
    return {Bytes(0), just_above(limit)};
  }
  SecondsPerByte gamma(Place) const { return gamma_; }
  const MessageProtocol& protocol() const { return protocol_; }
  /// The machine that textbook formulas assume, if this is one.
  std::optional<AlphaBetaGamma> hockney() const {
    if (protocol_.hold != MessageProtocol::Hold::delivery) return {};
    return AlphaBetaGamma{wire_.latency, wire_.per_byte, gamma_};
  }
  Port ports() const { return static_cast<Port>(2 * ranks_); }
  Port queues() const { return ports(); }

 private:
  Rank ranks_;
  Wire wire_;
  SecondsPerByte gamma_;
  MessageProtocol protocol_;
};

}  // namespace collcast
