// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "engines/player/message.hpp"
#include "engines/player/player.hpp"
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
  /// Who is told what kept ports and links busy; null: nobody. Outlives the run.
  void watched_by(Observer* observer) { observer_ = observer; }
  /// When a message's first byte left its port, and when its last was there; known where somebody watches.
  struct Way {
    Seconds left, arrived;
  };
  Way& way(Index id) {
    if (id >= ways_.size()) ways_.resize(std::max<std::size_t>(id + 1, 2 * ways_.size()));
    return ways_[id];
  }
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

 protected:
  void leaves(Index id, Seconds when) {
    if (observer_) way(id).left = when;
  }
  void occupied(Port port, Bytes bytes, Seconds begin, Seconds busy) {
    if (observer_) observer_->used({false, port, bytes, begin, begin + busy, busy});
  }
  Observer* observer_ = nullptr;

 private:
  std::vector<Way> ways_;  ///< per message
};

}  // namespace collcast
