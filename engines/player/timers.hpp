// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "engines/player/event.hpp"
#include "model/units.hpp"

namespace collcast {

/// Events in order of time; those of the same time in the order in which they came.
class Timers {
 public:
  struct Entry {
    Seconds time;
    std::uint64_t turn;
    Event event;
  };

  void at(Seconds time, Event event) {
    heap_.push_back({time, turn_++, event});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  Seconds next() const { return heap_.front().time; }
  const Entry& first() const { return heap_.front(); }
  Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry first = heap_.back();
    heap_.pop_back();
    return first;
  }

 private:
  static bool later(const Entry& a, const Entry& b) {
    return a.time > b.time || (a.time == b.time && a.turn > b.turn);
  }

  std::vector<Entry> heap_;
  std::uint64_t turn_ = 0;
};

/// Until when moments count as the same instant: clocks that took different ways to it differ by rounding.
constexpr Seconds same_instant(Seconds t) {
  return Seconds(t.value * (1 + 1e-12));
}

}  // namespace collcast
