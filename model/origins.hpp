// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/explanation.hpp"

namespace collcast {

/// Two times that were compared: each is that of an entry at the beginning plus what came on top since.
struct Race {
  std::uint32_t winner, loser;
  Seconds margin;
};

/// Knows of each time which of the entries at the beginning it comes from, counted from 1 (0: none, it is the
/// same whenever), and writes down who won against whom.
class OriginClock {
 public:
  struct Time {
    Seconds at = {};
    std::uint32_t origin = 0;
    friend bool operator<(const Time& a, const Time& b) {
      const bool less = a.at < b.at;
      const Time &winner = less ? b : a, &loser = less ? a : b;
      if (a.origin != b.origin && loser.origin != 0)  // what is the same whenever is not ahead later
        races->push_back({winner.origin, loser.origin, winner.at - loser.at});
      return less;
    }
    friend bool operator>(const Time& a, const Time& b) { return b < a; }
    friend bool operator<=(const Time& a, const Time& b) { return !(b < a); }
  };
  /// Where this thread writes them down.
  inline static thread_local std::vector<Race>* races = nullptr;

  static Seconds at(Time t) { return t.at; }
  static Time time(Seconds t) { return {t}; }
  Time later(Time t, Seconds by, Cause, Place, Place) { return after(t, by); }
  Time wait(Time t, Time until, Cause, Place, Place) { return std::max(t, until); }
  Time carry(Time t, const Wire& wire, Bytes bytes, Place, Place) { return after(t, bytes * wire.per_byte); }
  Time hold(Time t, Seconds held, const Wire&, Bytes, Place, Place) { return after(t, held); }

 private:
  static Time after(Time t, Seconds by) { return t.at += by, t; }
};

}  // namespace collcast
