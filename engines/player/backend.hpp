// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engines/player/message.hpp"
#include "engines/player/result.hpp"

namespace collcast {

/// Who a backend tells what happens.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on(Event event) = 0;
  /// All that happens at this instant has been told.
  virtual void settle() = 0;
};

/// A clock and a network: what the player needs of a machine.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Seconds now() const = 0;
  /// Tells the listener, `delay` from now.
  virtual void after(Seconds delay, Event event) = 0;
  /// The message comes to its ports, at `message.posted`; from now on the network carries it and tells of
  /// `left` (Hold::injection, unless eager) and `arrived` (Hold::delivery: after both overheads). Called from
  /// `settle` only.
  virtual void send(Index id, const Message& message) = 0;
  /// Returns when nothing is left to happen.
  virtual void run(Listener& listener) = 0;
  /// Adds how much each port and link was used.
  virtual void usage(Result& result) const = 0;
};

}  // namespace collcast
