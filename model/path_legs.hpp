// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/last_senders.hpp"
#include "model/path_state.hpp"
#include "model/repeats.hpp"

namespace collcast {

/// Some steps of a reading, which went the same way `times` times, and what was kept before the first of
/// them.
struct Leg {
  std::int64_t first, steps, times;
  PathState<Seconds> before;
  LastSenders last_senders;
};

/// Divides a reading into legs: each is short enough to be read again with a log of its delays.
class Legs {
 public:
  /// `messages`: after how many messages a leg ends; up to five times as many where more is kept.
  explicit Legs(std::int64_t messages) : least_(messages) {}

  /// Whether the next step begins a leg.
  bool due() const { return !open_ || messages_ >= enough_; }
  void begin(std::int64_t step, const PathState<Seconds>& before, const LastSenders& last_senders) {
    open_ = true, messages_ = 0;
    enough_ = std::clamp(4 * static_cast<std::int64_t>(before.count()), least_, 5 * least_);
    bytes_ += (before.count() + before.busy.size()) * sizeof(Seconds);
    if (!complete()) return legs_.clear();
    legs_.push_back({step, 0, 1, before, last_senders});
  }
  void add(const Step& step) {
    messages_ += messages_of(step), all_ += messages_of(step);
    if (!legs_.empty()) ++legs_.back().steps;
  }
  /// Ends the leg: its `steps` steps went the same way `times` times.
  void repeat(std::int64_t steps, std::int64_t times) {
    open_ = false;
    if (!legs_.empty()) legs_.back().steps = steps, legs_.back().times = times;
  }
  /// Whether memory and time were enough for all legs.
  bool complete() const { return bytes_ <= most_bytes && all_ <= most_read; }
  std::span<const Leg> all() const { return legs_; }

 private:
  static constexpr std::size_t most_bytes = 1 << 27;
  static constexpr std::int64_t most_read = 100'000'000;  // ten seconds

  const std::int64_t least_;
  std::int64_t enough_ = 0;  ///< messages of this leg
  bool open_ = false;
  std::int64_t messages_ = 0, all_ = 0;  ///< of this leg; of all that go once
  std::size_t bytes_ = 0;
  std::vector<Leg> legs_;
};

}  // namespace collcast
