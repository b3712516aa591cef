// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>

#include "engines/player/event.hpp"
#include "model/explanation.hpp"
#include "model/network.hpp"
#include "model/schedule.hpp"

namespace collcast {

/// What waits for an operation: a request of its rank if `request` is not 0, else the strand if set, else
/// nothing.
struct Waiter {
  Index strand = no_index;
  std::int32_t request = 0;
};

/// A message, from the post of its send to its last event.
struct Message {
  Place from, to;
  Wire wire;
  Bytes bytes = {};
  Seconds posted = {};  ///< when it reaches its port
  std::uint64_t tag = 0;
  std::uint64_t order = 0;  ///< messages that reach a port at the same instant pass it in this order
  Waiter sender = {}, receiver = {};
  Index group = no_index;                              ///< the multicast of which it is a copy
  bool first_of_group = false, first_at_port = false;  ///< first of its group at the port by which it leaves
  std::int32_t merged = 0;  ///< not 0: how many messages with its tag and order the network reduces to one
  bool receive_posted = false, eager = false, has_arrived = false;
  bool has_left = false;  ///< its last byte has left, for the reason `why`; kept for an explanation
  Combine combine = Combine::copy;
  Seconds entered = {};     ///< when its overhead was paid, or when it left if it has
  CauseLog::Entry why = 0;  ///< the cause of its last event

  /// Whether its sender goes on only when its last byte has left.
  bool holds_sender() const { return !eager || wire.streamed; }
};

/// A send or a receive whose other end has not come.
struct Post {
  bool is_send = false;
  Combine combine = Combine::copy;  ///< of a receive, as are `receiver` and `order`
  Index next = no_index;            ///< the next post with the same sender, receiver and tag
  Index message = no_index;         ///< of a send
  Waiter receiver = {};
  std::uint64_t order = 0;
};

/// Identifies messages that the network reduces to one on their way.
struct Merge {
  std::uint64_t tag = 0, order = 0;
  explicit Merge(const Message& m) : tag(m.tag), order(m.order) {}
  auto operator<=>(const Merge&) const = default;
};

}  // namespace collcast
