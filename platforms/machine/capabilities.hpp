// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>

#include "model/network.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/description/usage.hpp"

namespace collcast {

/// The limits of switches that replicate packets to the members of a group.
struct MulticastLimits {
  Bytes mtu = Bytes(std::numeric_limits<double>::infinity());  ///< the largest payload of a packet
  Bytes header;                                                ///< bytes of each packet besides its payload
  Seconds packet_overhead;                                     ///< time of each packet at its sender's port
  double loss = 0;               ///< share of the packets that some member does not receive
  Seconds recovery;              ///< extra time for a lost packet
  Stamp stamp = Stamp::what_if;  ///< the weakest of the numbers that change a time
};

/// The limits of switches that reduce messages on their way up and send the result down.
struct ReductionLimits {
  Bytes message_limit = Bytes(std::numeric_limits<double>::infinity());  ///< of one operation
  double outstanding = std::numeric_limits<double>::infinity();          ///< operations in flight per sender
  Seconds switch_latency;      ///< time that a reduction adds at each switch
  double bandwidth_share = 1;  ///< of the bandwidth of other messages
  Stamp stamp = Stamp::what_if;

  /// The most bytes in flight. Libraries reduce larger messages without the switches (HCOLL: operations times
  /// payload).
  Bytes window() const { return outstanding * message_limit; }
};

/// The cost of a multicast message with this wire. It goes as datagrams without handshake. Each packet has a
/// header and an overhead at the port, and receivers wait for the expected number of lost packets.
Switched through(const MulticastLimits& limits, Wire wire, Bytes bytes);

/// The cost of a message that `switches` switches reduce. It is divided into operations, of which up to
/// `outstanding` are in flight; the next operation waits until the first has returned. `operation`: the wire
/// of one operation, whose latency counts in each direction.
Switched through(const ReductionLimits& limits, Wire wire, Wire operation, Bytes bytes, int switches);

/// What switches can do besides forwarding messages.
struct Capabilities {
  std::optional<MulticastLimits> multicast;
  std::optional<ReductionLimits> reduction;
};

}  // namespace collcast
