// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engines/player/message.hpp"
#include "engines/player/player.hpp"
#include "engines/player/pool.hpp"
#include "engines/player/result.hpp"
#include "engines/player/timers.hpp"

namespace collcast {

/// Receives the events of a backend: the interpreter.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on(Event event) = 0;
  /// Called after the last event of each instant.
  virtual void settle() = 0;
};

/// A clock and a network, on which the interpreter plays a program.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Sets the pool of the messages that the backend carries. It must outlive the run.
  void carries(const Pool<Message>& messages) { messages_ = &messages; }
  /// Sets the observer that is told what kept ports and links busy; null: none. It must outlive the run.
  void watched_by(Observer* observer) { observer_ = observer; }
  /// When the first byte of a message left its port and when the last one arrived; kept if there is an
  /// observer.
  struct Way {
    Seconds left, arrived;
  };
  Way& way(Index id) { return grown_at(ways_, id); }
  /// Sets the log in which causes are kept; null: none is wanted. It must outlive the run.
  void explained_in(CauseLog* log) { log_ = log; }
  /// What held up a message besides its own bytes.
  struct HeldUp {
    Seconds waited;             ///< how long it waited at its port
    CauseLog::Hold behind = 0;  ///< the last message that held the port meanwhile
    Seconds slowed;             ///< how much longer its bytes took than on an idle network
    LinkId by = no_link;        ///< the link that cost most of that
  };
  /// What held up a message that has left or arrived, as far as it is known.
  virtual HeldUp held_up(Index) const { return {}; }
  /// Adds the holds of which the log must keep the links.
  virtual void add_holds(std::vector<CauseLog::Hold*>&) {}
  Seconds now() const { return now_; }
  /// Sends the listener `event` after `delay`.
  void after(Seconds delay, Event event) { timers_.at(now_ + delay, event); }
  /// Carries a message that reaches its port at `Message::posted`; the message stays in the pool until it has
  /// arrived. The listener gets the events `left` (only with Hold::injection, and unless the message is
  /// eager) and `arrived` (with Hold::delivery after both overheads). Called only from `settle`.
  virtual void send(Index id) = 0;
  /// Returns when no event is left.
  virtual void run(Listener& listener) = 0;
  /// Adds how much each port and link was used.
  virtual void usage(Result& result) const = 0;

 protected:
  const Message& message(Index id) const { return (*messages_)[id]; }
  void leaves(Index id, Seconds when) {
    if (observer_) way(id).left = when;
  }
  void occupied(Port port, Bytes bytes, Seconds begin, Seconds busy) {
    if (observer_) observer_->used({false, port, bytes, begin, begin + busy, busy});
  }
  Timers timers_;
  Seconds now_;
  Observer* observer_ = nullptr;
  CauseLog* log_ = nullptr;

 private:
  const Pool<Message>* messages_ = nullptr;
  std::vector<Way> ways_;  ///< by message
};

}  // namespace collcast
