// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <vector>

#include "model/repeats.hpp"
#include "model/units.hpp"

namespace collcast {

/// Sees when the times of a reading repeat, and takes it past the steps that would only repeat them.
///
/// The reading is a function of its times that moves with them: steps that repeat (model/repeats.hpp) move
/// all times alike, or leave in the past what they do not touch. Once two periods have moved every time by
/// the same, all later ones do: the reading then counts from a later origin instead of taking its steps.
class Folding {
 public:
  /// `blocks_alike`: messages of as many blocks are as long.
  Folding(const Schedule& schedule, bool blocks_alike);

  using Times = std::initializer_list<std::vector<Seconds>*>;
  /// After step `s`: the step to read next. `times` is all that the reading compares, from `origin` on;
  /// `sums` grow by the same in each period.
  std::int64_t next(std::int64_t s, Times times, Times sums, Seconds& origin);

 private:
  struct Snapshot {
    std::vector<Seconds> times, sums;
    void take(Times times, Times sums);
  };
  bool steady(Times times, Seconds& increment) const;

  std::vector<Repeat> repeats_;
  std::size_t at_ = 0;         ///< of repeats_
  std::int64_t watch_ = 1;     ///< periods of it that are read before the next look
  Snapshot before_, between_;  ///< watch_ and watch_ + 1 periods in
};

}  // namespace collcast
