// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/origins.hpp"
#include "model/repeats.hpp"
#include "model/units.hpp"

namespace collcast {

/// A period of steps that repeat, as sums and maxima of times: each entry (from 1 on; 0 stands for no time)
/// before and after, which entry it comes from, and who won where times were compared. Entries that neither
/// move nor are compared may be left out.
struct Period {
  std::vector<Seconds> before, after;
  std::vector<std::uint32_t> origin;
  std::vector<Race> races;
  std::uint32_t ends = 0;  ///< the first of them: when ranks are done
};

/// What follows a period.
struct Onward {
  std::int64_t periods = 0;    ///< that go the same way: each time comes from where it did
  std::vector<Seconds> after;  ///< them; nothing if there are none
  Seconds least;               ///< after all that are left, the last rank is done no earlier
};

/// Follows each time back from entry to entry. These ways end in rings of entries, round which times go (a
/// port that is always busy is a ring of one), so that any later period's times are known as far as all races
/// are won as before; where they are not, times are later than that. Of `left` periods.
Onward onward(const Period& period, std::int64_t left);

/// Which periods of a schedule are worth following: the second of those that repeat, and then ever fewer;
/// some at once, as waves of ranks that share a port come again after a few.
class Folding {
 public:
  /// `blocks_alike`: messages of as many blocks are as long. Following costs as much as reading a few
  /// messages for each of `entries`.
  Folding(const Schedule& schedule, bool blocks_alike, std::size_t entries);
  /// Whether to follow `periods()` of `repeat()` from step `s` on.
  bool due(std::int64_t s);
  const Repeat& repeat() const { return repeats_[at_]; }
  int periods() const { return looks_ < 2 ? 1 : looks_ == 2 ? 2 : 6; }

 private:
  std::vector<Repeat> repeats_;
  std::size_t at_ = 0;     ///< of repeats_
  std::int64_t next_ = 1;  ///< period of it to follow
  int looks_ = 0;          ///< up to 3
};

}  // namespace collcast
