// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "model/explanation.hpp"

namespace collcast {

// A clock determines what is kept with each time of a critical path: PlainClock keeps the seconds,
// TracedClock also their causes, OriginClock (origins.hpp) their origin. All compute the same seconds.

/// Keeps the seconds alone.
struct PlainClock {
  using Time = Seconds;
  static Seconds at(Time t) { return t; }
  static Time time(Seconds t) { return t; }
  Time later(Time t, Seconds by, Cause, Place, Place) { return t + by; }
  Time wait(Time t, Time until, Cause, Place, Place) { return std::max(t, until); }
  /// When the messages in front, which are taken to be like this one, have left the port.
  Time queue(Time t, Time until, const Wire&, Bytes, Place, Place) { return std::max(t, until); }
  /// When the bytes have passed, at the pace of the link or of the software.
  Time carry(Time t, const Wire& wire, Bytes bytes, Place, Place) { return t + bytes * wire.per_byte; }
  /// When a whole message has passed, which takes `held`: overheads, latency and bytes.
  Time hold(Time t, Seconds held, const Wire&, Bytes, Place, Place) { return t + held; }
};

/// Keeps the causes of each time.
class TracedClock {
 public:
  struct Time {
    Seconds at = {};
    CauseLog::Entry why = 0;
    friend bool operator<(const Time& a, const Time& b) { return a.at < b.at; }
    friend bool operator>(const Time& a, const Time& b) { return b < a; }
    friend bool operator<=(const Time& a, const Time& b) { return !(b < a); }
  };
  /// `origins`: how many times there are at the start; time i of these has the entry i, counted from 1.
  explicit TracedClock(CauseLog::Entry origins = 0) : log_(CauseLog::usual, origins) {}
  static Seconds at(Time t) { return t.at; }
  static Time time(Seconds t) { return {t}; }
  Time later(Time t, Seconds by, Cause cause, Place from, Place to) {
    return {t.at + by, log_.add(t.why, by, cause, from, to)};
  }
  Time wait(Time t, Time until, Cause cause, Place from, Place to) {
    if (!(until.at > t.at)) return t;
    return {until.at, log_.add(t.why, until.at - t.at, cause, from, to)};
  }
  Time queue(Time t, Time until, const Wire& wire, Bytes bytes, Place from, Place to) {
    if (!(until.at > t.at)) return t;
    return {until.at, log_.add_turn(t.why, until.at - t.at, wire, bytes, from, to)};
  }
  Time carry(Time t, const Wire& wire, Bytes bytes, Place from, Place to) {
    return {t.at + bytes * wire.per_byte,
            log_.add_bytes(t.why, bytes * wire.software, wire.occupation(bytes), wire, from, to)};
  }
  Time hold(Time t, Seconds held, const Wire& w, Bytes bytes, Place from, Place to) {
    Time end = later(t, w.overhead + w.receive_overhead, Cause::overhead, from, to);
    end = carry(later(end, w.latency, Cause::latency, from, to), w, bytes, from, to);
    return {t.at + held, end.why};
  }
  const CauseLog& log() const { return log_; }

 private:
  CauseLog log_;
};

}  // namespace collcast
