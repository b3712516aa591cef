// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/fabric.hpp"

namespace collcast {

/// What a part of the time is spent on.
enum class Cause : std::uint8_t {
  overhead,   ///< software of the sender or the receiver
  latency,    ///< from the departure of the last byte to its arrival
  link,       ///< bytes on the slowest link of their route
  queue,      ///< waiting behind other messages
  reduction,  ///< reducing received data into own data
  compute,
  wait,        ///< waiting for a late rank
  collective,  ///< a collective whose time is given
};
constexpr std::string_view name(Cause cause) {
  constexpr std::string_view names[] = {"overhead",  "latency", "link", "queue",
                                        "reduction", "compute", "wait", "collective"};
  return names[static_cast<std::size_t>(cause)];
}

/// One delay on a critical path, of a message from one place to another or of one place alone.
struct Delay {
  Cause cause = Cause::wait;
  Place from, to;
  LinkId at = no_link;  ///< the link for which a message queued, if that is known
  Seconds time;
  Seconds moving = {};  ///< of an overhead: the part in which bytes pass links, faster than software
  bool operator==(const Delay&) const = default;
};

/// Whether software sets the pace of bytes, so that faster links would not help. If a library reaches at
/// least 0.8 of the links' bandwidth, links set the pace, as for `--set`; the threads of a GPU have a pace of
/// their own.
inline bool paced_by_software(const Wire& wire) {
  constexpr double rounding = 1e-9, lost_on_links = 0.2;
  return wire.software > (wire.streamed ? rounding : lost_on_links) * wire.per_byte;
}

/// Delays, each linked to the one that it followed. Entry 0 stands for the start, and entries 1 to `origins`
/// for starts of their own.
class CauseLog {
 public:
  using Entry = std::uint32_t;
  /// A message that holds a port, linked to the one that held it before. 0: none.
  using Hold = std::uint32_t;
  static constexpr std::size_t usual = 3'000'000;  ///< 150 MB
  /// Keeps up to `most` delays; with more, all chains are empty.
  explicit CauseLog(std::size_t most = usual, Entry origins = 0)
      : most_(most + origins), origins_(origins), log_(std::size_t{1} + origins), holds_(1) {}

  /// Whether many delays have been added since the last `keep`.
  bool crowded() const { return !full_ && log_.size() + holds_.size() > room_; }
  /// Whether no delay is missing.
  bool complete() const { return !full_; }
  /// Forgets the delays and holds that led to none of these, which get new numbers. For a log without
  /// origins.
  void keep(std::span<Entry* const> entries, std::span<Hold* const> holds);

  Entry add(Entry before, Seconds time, Cause cause, Place from, Place to, LinkId at = no_link) {
    return add({{cause, from, to, at, time}, before, 0});
  }
  /// Adds the time of bytes: `moving` on links, and `software` more, as the software is slower.
  Entry add_bytes(Entry before, Seconds software, Seconds moving, const Wire& wire, Place from, Place to) {
    if (!paced_by_software(wire))
      return add(add(before, software, Cause::overhead, from, to), moving, Cause::link, from, to);
    return add({{Cause::overhead, from, to, no_link, software + moving, moving}, before, 0});
  }
  /// Adds a wait for the messages in front, which are taken to be like this one.
  Entry add_turn(Entry before, Seconds waited, const Wire& wire, Bytes bytes, Place from, Place to) {
    const Seconds gaps = wire.gap_share(bytes) * waited;
    if (paced_by_software(wire) && !wire.streamed)
      return add({{Cause::overhead, from, to, no_link, waited, waited - gaps}, before, 0});
    return add(add(before, gaps, Cause::overhead, from, to), waited - gaps, Cause::queue, from, to);
  }
  /// Adds a wait for a port, which `last` was the last to hold.
  Entry add_wait(Entry before, Seconds time, Hold last, Place from, Place to) {
    return add({{Cause::queue, from, to, no_link, time}, before, last});
  }
  /// Notes that a message held a port for `time`, of which `slowed` only because it had to share the link
  /// `by`.
  Hold hold(Hold before, Seconds time, Seconds slowed, LinkId by) {
    if (full(holds_.size())) return before;
    holds_.push_back({time, slowed, by, before});
    return static_cast<Hold>(holds_.size() - 1);
  }
  /// The delays that led to `last`, itself first; empty if the log was too small.
  std::vector<Delay> chain(Entry last) const {
    std::vector<Delay> all;
    for (Entry i = full_ ? 0 : last; i > origins_; i = log_[i].before)
      log_[i].last == 0 ? all.push_back(log_[i].delay) : split(log_[i].delay, log_[i].last, all);
    return all;
  }
  /// The start of that chain.
  Entry origin(Entry last) const {
    while (last > origins_) last = log_[last].before;
    return last;
  }

 private:
  struct Record {
    Delay delay;
    Entry before = 0;
    Hold last = 0;  ///< the last message that held the port for which this one waited
  };
  struct Held {
    Seconds time, slowed;
    LinkId by = no_link;
    Hold before = 0;
  };
  static constexpr std::size_t least_room = 1 << 18;
  bool full(std::size_t size) { return full_ = full_ || size > most_; }
  Entry add(const Record& record) {
    if (record.delay.time == Seconds(0) || full(log_.size())) return record.before;
    log_.push_back(record);
    return static_cast<Entry>(log_.size() - 1);
  }
  /// Splits a wait behind other messages. As far as these were slowed by a link further on, it is a wait for
  /// that link; the rest is a wait for bytes that pass the port.
  void split(Delay wait, Hold last, std::vector<Delay>& all) const {
    Seconds left = wait.time;
    for (Hold i = last; i != 0 && left > Seconds(0); i = holds_[i].before) {
      const Held& held = holds_[i];
      const Seconds within = std::min(held.time, left);
      left -= within;
      if (!(held.slowed > Seconds(0))) continue;
      const Seconds slowed = within / held.time * held.slowed;
      all.push_back({Cause::queue, wait.from, wait.to, held.by, slowed});
      wait.time -= slowed;
    }
    if (wait.time > Seconds(0)) all.push_back(wait);
  }

  std::size_t most_, room_ = least_room;
  Entry origins_;
  bool full_ = false;
  std::vector<Record> log_;  ///< the first ones stand for the starts
  std::vector<Held> holds_;  ///< the first stands for none
};

}  // namespace collcast
