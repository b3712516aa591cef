// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

#include "support/json.hpp"

namespace collcast {

/// What software with `pieces` charges for a message of one size, in microseconds. All four grow with the
/// size in each piece; where a piece charges less than the one before it, a larger message may be faster.
struct MessageCosts {
  double overhead, receive_overhead, latency;
  double hold;   ///< until the next message of a stream: g + n G
  double alone;  ///< half a round trip: overheads, handshake, L, n G, copies
};

/// As the `piece`th piece charges; what it leaves out is as for the smallest messages. Without: as these.
/// `links_GBps`: of the slowest link on the way, which bounds G.
MessageCosts message_costs(const Json& software, std::optional<std::size_t> piece, double bytes,
                           double links_GBps = HUGE_VAL);

/// The size from which the `piece`th holds, in bytes.
double begin_of_piece(const Json& software, std::size_t piece);

}  // namespace collcast
