// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>

#include "model/network.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/description/usage.hpp"

namespace collcast {

/// Switches copy a packet to every member of a group.
struct MulticastLimits {
  Bytes mtu = Bytes(std::numeric_limits<double>::infinity());  ///< a packet carries no more
  Bytes header;                                                ///< of each packet, besides what it carries
  double groups = std::numeric_limits<double>::infinity();     ///< that may exist at a time
  Seconds packet_overhead;                                     ///< of each packet at its sender's port
  double loss = 0;               ///< share of the packets that some member misses
  Seconds recovery;              ///< what a lost packet adds
  Stamp stamp = Stamp::what_if;  ///< the weakest of those that change a time
};

/// Switches reduce what comes up to them and send the result down.
struct ReductionLimits {
  Bytes message_limit = Bytes(std::numeric_limits<double>::infinity());  ///< of one operation
  double outstanding = std::numeric_limits<double>::infinity();          ///< operations of a sender under way
  Seconds switch_latency;      ///< that a reduction adds at each switch on its way
  double bandwidth_share = 1;  ///< of the bandwidth that a message reaches
  Stamp stamp = Stamp::what_if;

  /// What may be under way. Libraries reduce larger messages themselves (HCOLL: operations times payload).
  Bytes window() const { return outstanding * message_limit; }
};

/// What becomes of a message that goes through a multicast, in datagrams, without handshake: each packet has
/// a header and holds up the port, and the receivers wait for the lost ones that are to be expected.
Switched through(const MulticastLimits& limits, Wire wire, Bytes bytes);

/// The same of a message that `switches` of them reduce: it goes in operations, of which `outstanding` are
/// under way; the next one waits until the first of them has come back, after a latency each way of
/// `operation`, the wire of one.
Switched through(const ReductionLimits& limits, Wire wire, Wire operation, Bytes bytes, int switches);

/// What the switches between some ranks can do beyond passing messages on.
struct Capabilities {
  std::optional<MulticastLimits> multicast;
  std::optional<ReductionLimits> reduction;
};

}  // namespace collcast
