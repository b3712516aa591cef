// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>

#include "engines/player/event.hpp"
#include "model/explanation.hpp"
#include "model/network.hpp"
#include "model/schedule.hpp"

namespace collcast {

/// Who waits for an operation: a strand, or `request` of a rank if it is not 0; nobody if neither is set.
struct Waiter {
  Index strand = no_index;
  std::int32_t request = 0;
};

/// A message between two places, from its first posting to its last event.
struct Message {
  Place from, to;
  Wire wire;
  Bytes bytes;
  Seconds posted;  ///< when it comes to its port
  std::uint64_t tag = 0;
  std::uint64_t order = 0;  ///< messages that come to a port at the same instant pass it in this order
  Waiter sender, receiver;
  Index next = no_index;   ///< in the queue of unmatched posts
  Index group = no_index;  ///< the multicast that it is a copy of
  bool first_of_group = false;
  std::int32_t merged = 0;  ///< not 0: one of so many of the same tag and order that arrive as one
  bool send_posted = false, receive_posted = false;
  bool eager = false, has_arrived = false;
  Combine combine = Combine::copy;
  Seconds entered = {};     ///< when its overhead was paid
  CauseLog::Entry why = 0;  ///< it is where it is now

  /// Its sender goes on when its last byte has left.
  bool holds_sender() const { return !eager || wire.streamed; }
};

/// What the network reduces on its way to one receiver.
struct Merge {
  std::uint64_t tag = 0, order = 0;
  explicit Merge(const Message& m) : tag(m.tag), order(m.order) {}
  auto operator<=>(const Merge&) const = default;
};

}  // namespace collcast
