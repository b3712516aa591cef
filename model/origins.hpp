// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/explanation.hpp"

namespace collcast {

/// A comparison of two times, each of which is the time of an entry at the start plus a constant.
struct Race {
  std::uint32_t winner, loser;  ///< entries; the winner's time was the later one
  Seconds margin;               ///< by which it was later
};

/// A clock (clocks.hpp) that traces origins: each time carries the number, from 1, of the entry at the
/// start from which sums and maxima led to it; 0 is a time that does not depend on the start. It notes every
/// comparison of times with different origins, so that a reader can tell for how long the same start,
/// shifted, would take the same course (steady_state.hpp).
class OriginClock {
 public:
  struct Time {
    Seconds at = {};
    std::uint32_t origin = 0;
    friend bool operator<(const Time& a, const Time& b) {
      const bool less = a.at < b.at;
      const Time &winner = less ? b : a, &loser = less ? a : b;
      if (a.origin != b.origin && loser.origin != 0)  // times only grow: a constant does not win later
        races->push_back({winner.origin, loser.origin, winner.at - loser.at});
      return less;
    }
    friend bool operator>(const Time& a, const Time& b) { return b < a; }
    friend bool operator<=(const Time& a, const Time& b) { return !(b < a); }
  };
  /// Where this thread notes races; set before any time is compared.
  inline static thread_local std::vector<Race>* races = nullptr;

  static Seconds at(Time t) { return t.at; }
  static Time time(Seconds t) { return {t}; }
  Time later(Time t, Seconds by, Cause, Place, Place) { return after(t, by); }
  Time queue(Time t, Time until, const Wire&, Bytes, Place, Place) { return std::max(t, until); }
  Time wait(Time t, Time until, Cause, Place, Place) { return std::max(t, until); }
  Time carry(Time t, const Wire& wire, Bytes bytes, Place, Place) { return after(t, bytes * wire.per_byte); }
  Time hold(Time t, Seconds held, const Wire&, Bytes, Place, Place) { return after(t, held); }

 private:
  static Time after(Time t, Seconds by) { return t.at += by, t; }
};

}  // namespace collcast
