// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

#include "support/json.hpp"

namespace collcast {

/// What software with `pieces` charges for a message of one size, in microseconds. In each piece all four
/// grow with the size. Where a piece charges less than the one before it, a larger message may be faster.
struct MessageCosts {
  double overhead, receive_overhead, latency;
  double hold;   ///< time until the next message of a stream: g + n G
  double alone;  ///< half a round trip: overheads, handshake, L, n G, copies
};

/// The costs that the `piece`th piece charges. Costs that it leaves out, and all costs without a piece, are
/// those of the smallest messages. `links_GBps`: the bandwidth of the slowest link on the route, which bounds
/// G.
MessageCosts message_costs(const Json& software, std::optional<std::size_t> piece, double bytes,
                           double links_GBps = HUGE_VAL);

/// The size from which the `piece`th piece holds, in bytes.
double begin_of_piece(const Json& software, std::size_t piece);

}  // namespace collcast
