// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
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
  wait,        ///< for a rank that is late
  collective,  ///< one that takes a given time
};
constexpr std::string_view name(Cause cause) {
  constexpr std::string_view names[] = {"overhead",  "latency", "link", "queue",
                                        "reduction", "compute", "wait", "collective"};
  return names[static_cast<std::size_t>(cause)];
}

/// A stretch of time that something took on the way from one place to another.
struct Stretch {
  Cause cause = Cause::wait;
  Place from, to;
  Seconds time;
  bool operator==(const Stretch&) const = default;
};

/// What led to what: stretches, each with the one before it. 0 stands for the beginning.
class CauseLog {
 public:
  using Entry = std::uint32_t;
  /// Keeps that many stretches; if there are more, it knows nothing.
  explicit CauseLog(std::size_t most) : most_(most), log_(1) {}

  Entry add(Entry before, Seconds time, Cause cause, Place from, Place to) {
    if (time == Seconds(0) || full_) return before;
    if (log_.size() > most_) return full_ = true, before;
    log_.push_back({{cause, from, to, time}, before});
    return static_cast<Entry>(log_.size() - 1);
  }
  /// The chain that ends with a stretch, which comes first; empty if the log is too short for it.
  std::vector<Stretch> chain(Entry last) const {
    std::vector<Stretch> all;
    for (Entry i = full_ ? 0 : last; i != 0; i = log_[i].before) all.push_back(log_[i].stretch);
    return all;
  }

 private:
  struct Record {
    Stretch stretch;
    Entry before = 0;
  };
  std::size_t most_;
  bool full_ = false;
  std::vector<Record> log_;  ///< the first one is nothing
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
    CauseLog::Entry why = 0;
    friend bool operator<(const Time& a, const Time& b) { return a.at < b.at; }
    friend bool operator>(const Time& a, const Time& b) { return b < a; }
    friend bool operator<=(const Time& a, const Time& b) { return !(b < a); }
  };
  explicit TracedClock(std::size_t most = 0) : log_(most) {}

  static Seconds at(Time t) { return t.at; }
  static Time time(Seconds t) { return {t}; }
  Time later(Time t, Seconds by, Cause cause, Place from, Place to) {
    return {t.at + by, log_.add(t.why, by, cause, from, to)};
  }
  Time wait(Time t, Time until, Cause cause, Place from, Place to) {
    if (!(until.at > t.at)) return t;
    return {until.at, log_.add(t.why, until.at - t.at, cause, from, to)};
  }
  Time carry(Time t, const Wire& wire, Bytes bytes, Place from, Place to) {
    const CauseLog::Entry why = log_.add(t.why, bytes * wire.software, Cause::overhead, from, to);
    return {t.at + bytes * wire.per_byte, log_.add(why, wire.occupation(bytes), Cause::link, from, to)};
  }
  Time hold(Time t, Seconds held, const Wire& w, Bytes bytes, Place from, Place to) {
    Time end = later(t, w.overhead + w.receive_overhead, Cause::overhead, from, to);
    end = carry(later(end, w.latency, Cause::latency, from, to), w, bytes, from, to);
    return {t.at + held, end.why};
  }
  std::vector<Stretch> chain(Time t) const { return log_.chain(t.why); }

 private:
  CauseLog log_;
};

}  // namespace collcast
