// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "model/network.hpp"

namespace collcast {

/// What time goes to.
enum class Cause : std::uint8_t {
  overhead,   ///< software, on either side
  latency,    ///< between the last byte's leaving and its arrival
  link,       ///< bytes on the slowest link of their way
  queue,      ///< behind other messages
  reduction,  ///< of what arrived into own data
  compute,
  wait,  ///< for a rank that is late
};
constexpr std::string_view name(Cause cause) {
  constexpr std::string_view names[] = {"overhead",  "latency", "link", "queue",
                                        "reduction", "compute", "wait"};
  return names[static_cast<std::size_t>(cause)];
}

/// A stretch of time that something took on the way from one place to another.
struct Stretch {
  Cause cause = Cause::wait;
  Place from, to;
  Seconds time;
};

/// Counts seconds, and nothing else.
struct PlainClock {
  using Time = Seconds;
  static Seconds at(Time t) { return t; }
  static Time time(Seconds t) { return t; }
  Time later(Time t, Seconds by, Cause, Place, Place) { return t + by; }
  Time wait(Time t, Time until, Cause, Place, Place) { return std::max(t, until); }
  /// The bytes' time, some of it the software's.
  Time carry(Time t, const Wire& wire, Bytes bytes, Place, Place) { return t + bytes * wire.per_byte; }
  /// All that a message takes, one after the other: `held`.
  Time hold(Time t, Seconds held, const Wire&, Bytes, Place, Place) { return t + held; }
};

/// Remembers of each time what led to it.
class TracedClock {
 public:
  struct Time {
    Seconds at = {};
    std::uint32_t why = 0;
    friend bool operator<(const Time& a, const Time& b) { return a.at < b.at; }
    friend bool operator>(const Time& a, const Time& b) { return b < a; }
    friend bool operator<=(const Time& a, const Time& b) { return !(b < a); }
  };
  struct TooLong : std::runtime_error {
    TooLong() : runtime_error("too many messages to explain") {}
  };
  /// Throws TooLong beyond so many stretches.
  explicit TracedClock(std::size_t most = 4'000'000) : most_(most), log_(1) {}

  static Seconds at(Time t) { return t.at; }
  static Time time(Seconds t) { return {t}; }
  Time later(Time t, Seconds by, Cause cause, Place from, Place to) {
    return {t.at + by, add(t.why, by, cause, from, to)};
  }
  Time wait(Time t, Time until, Cause cause, Place from, Place to) {
    if (!(until.at > t.at)) return t;
    return {until.at, add(t.why, until.at - t.at, cause, from, to)};
  }
  Time carry(Time t, const Wire& wire, Bytes bytes, Place from, Place to) {
    std::uint32_t why = add(t.why, bytes * wire.software, Cause::overhead, from, to);
    why = add(why, wire.occupation(bytes), Cause::link, from, to);
    return {t.at + bytes * wire.per_byte, why};
  }
  Time hold(Time t, Seconds held, const Wire& w, Bytes bytes, Place from, Place to) {
    Time end = later(t, w.overhead + w.receive_overhead, Cause::overhead, from, to);
    end = carry(later(end, w.latency, Cause::latency, from, to), w, bytes, from, to);
    return {t.at + held, end.why};
  }

  /// The chain that led to a time, its last stretch first.
  std::vector<Stretch> chain(Time t) const {
    std::vector<Stretch> all;
    for (std::uint32_t i = t.why; i != 0; i = log_[i].before) all.push_back(log_[i].stretch);
    return all;
  }

 private:
  struct Entry {
    Stretch stretch;
    std::uint32_t before = 0;
  };
  std::uint32_t add(std::uint32_t before, Seconds time, Cause cause, Place from, Place to) {
    if (time == Seconds(0)) return before;
    if (log_.size() > most_) throw TooLong();
    log_.push_back({{cause, from, to, time}, before});
    return static_cast<std::uint32_t>(log_.size() - 1);
  }

  std::size_t most_;
  std::vector<Entry> log_;  ///< the first one is nothing
};

}  // namespace collcast
