// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engines/player/agenda.hpp"
#include "model/units.hpp"

namespace collcast {

/// Events in order of time.
class Timers {
 public:
  struct Entry {
    Seconds time;
    Event event;
  };

  void at(Seconds time, Event event) { agenda_.at(time.value, event); }
  bool empty() const { return agenda_.empty(); }
  Seconds next() const { return Seconds(agenda_.next()); }
  Entry first() const { return {next(), agenda_.first()}; }
  Entry pop() {
    const Seconds time = next();
    return {time, agenda_.pop()};
  }

 private:
  Agenda<Event> agenda_;
};

/// The end of the instant `t`: times up to here are simultaneous, as sums in another order differ by
/// rounding.
constexpr Seconds same_instant(Seconds t) {
  return Seconds(t.value * (1 + 1e-12));
}

}  // namespace collcast
