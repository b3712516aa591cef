// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>

#include "model/units.hpp"

namespace collcast {

/// Switches copy a packet to every member of a group.
struct MulticastLimits {
  Bytes mtu = Bytes(std::numeric_limits<double>::infinity());  ///< a packet carries no more
  double groups = std::numeric_limits<double>::infinity();     ///< that may exist at a time
  Seconds packet_overhead;                                     ///< of each packet at its sender
  double loss = 0;   ///< share of the packets that some member misses
  Seconds recovery;  ///< what a lost packet adds
};

/// Switches reduce what comes up to them and send the result down.
struct ReductionLimits {
  Bytes message_limit = Bytes(std::numeric_limits<double>::infinity());  ///< of one operation
  Seconds switch_latency;      ///< that a reduction adds at each switch on its way
  double bandwidth_share = 1;  ///< of a link's bandwidth that long messages reach
};

/// What the switches between some ranks can do beyond passing messages on.
struct Capabilities {
  std::optional<MulticastLimits> multicast;
  std::optional<ReductionLimits> reduction;
};

}  // namespace collcast
