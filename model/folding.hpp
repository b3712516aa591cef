// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <vector>

#include "model/repeats.hpp"
#include "model/units.hpp"

namespace collcast {

/// Sees when the times of a reading grow evenly, and takes it past the steps that would only go on like that.
///
/// Steps that repeat (model/repeats.hpp) make new times of old ones by sums and maxima. Where each time has
/// grown by the same in two units (of one or several periods), at a pace that may be its own, it is taken to
/// go on so to the last unit but one, which is read: sums and maxima are convex, so that what grows evenly at
/// both ends grows evenly between them. Where it does not, the reading returns, and half as many units are
/// tried.
class Folding {
 public:
  /// `blocks_alike`: messages of as many blocks are as long.
  Folding(const Schedule& schedule, bool blocks_alike);

  using Times = std::initializer_list<std::vector<Seconds>*>;
  /// After step `s`: the step to read next. `times` is all that the reading compares; `sums` grow by the same
  /// in each period, and none is beyond the latest time.
  std::int64_t next(std::int64_t s, Times times, Times sums);
  /// Whether the reading may have to return: no time holds yet.
  bool tentative() const { return skipped_ != 0; }
  /// The schedule ends no earlier: sums and maxima of later times are later by as much, so that all goes on
  /// by no less than the least that came along in a unit.
  Seconds least() const { return least_; }

 private:
  struct Snapshot {
    std::vector<Seconds> times, sums;
    void take(Times times, Times sums);
    void give(Times times, Times sums) const;
  };
  /// Values of a few times, a period after the other.
  struct Probes {
    std::vector<std::size_t> which;
    std::vector<std::vector<Seconds>> seen;
    void choose(Times times, const Snapshot& before);
    void look(Times times);
    std::int64_t cycle() const;
  };
  bool steady(Times times);
  void foresee(Times times, Times sums, double left);
  std::int64_t skip(std::int64_t s, Times times, Times sums);
  bool as_foreseen(Times times) const;

  std::vector<Repeat> repeats_;
  std::size_t at_ = 0;                 ///< of repeats_
  std::int64_t watch_ = 1, unit_ = 1;  ///< periods of it before the next look, and after which growth recurs
  Probes probes_;
  Snapshot before_, between_;            ///< watch_ periods in, and a unit later
  std::vector<Seconds> paces_;           ///< that times grow by in a unit
  std::vector<std::uint8_t> pace_;       ///< of each time
  std::int64_t skipped_ = 0, from_ = 0;  ///< units skipped and yet to be confirmed, and the step before them
  Snapshot there_, landed_;              ///< before and after them
  Seconds least_;
};

}  // namespace collcast
