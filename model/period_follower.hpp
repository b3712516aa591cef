// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/path_state.hpp"
#include "model/repeats.hpp"
#include "model/steady_state.hpp"

namespace collcast {

/// Which periods of repeating steps are followed: the second, then ever fewer of the later ones. From the
/// second try on several periods are taken as one, as ranks that share a port may take turns.
class FollowPlan {
 public:
  /// `blocks_alike`: equal numbers of blocks are equal bytes; otherwise nothing is followed. `times`: how
  /// many times a reading keeps; following a period costs as much as reading a few messages for each.
  FollowPlan(const Schedule& schedule, bool blocks_alike, std::size_t times);
  /// Whether to follow `periods()` periods of `repeat()` from step `s` on.
  bool due(std::int64_t s);
  const Repeat& repeat() const { return repeats_[at_]; }
  int periods() const { return tries_ < 2 ? 1 : tries_ == 2 ? 2 : 6; }

 private:
  std::vector<Repeat> repeats_;
  std::size_t at_ = 0;     ///< index of the current repeat
  std::int64_t next_ = 1;  ///< the next period of that repeat to follow
  int tries_ = 0;          ///< up to 3
};

/// Takes a reading past periods of repeating steps without reading them. A second reading, whose clock traces
/// origins, reads one period between `begin` and `end`.
class PeriodFollower {
 public:
  /// What `end` skipped.
  struct Skipped {
    std::int64_t periods = 0;
    Seconds least;  ///< the last rank is done no earlier, whatever the remaining periods do
  };

  /// Copies the state to the second reading, where every time is its own origin, and starts to note races.
  void begin(const PathState<Seconds>& state, PathState<OriginClock::Time>& traced);
  /// Moves `state` to the end of the period that was read, and past those of the next `left` periods that
  /// repeat it.
  Skipped end(PathState<Seconds>& state, PathState<OriginClock::Time>& traced, std::int64_t left);

 private:
  void collect(PathState<Seconds>& state, PathState<OriginClock::Time>& traced);

  Period period_;
  std::vector<Seconds*> slots_;         ///< where the state keeps each entry of the period
  std::vector<std::uint32_t> entries_;  ///< the entry of each time of the state; 0: it has none
};

}  // namespace collcast
