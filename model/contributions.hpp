// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/collective.hpp"

namespace collcast {

/// Which ranks' values are combined in a block, and how many times each: multisets of ranks, kept as runs and
/// each kept once. Equal sets have equal numbers, so a set costs its user four bytes.
class ContributionSets {
 public:
  using Set = std::uint32_t;
  static constexpr Set none = 0;

  /// `repeats_allowed`: a rank counts once however often it arrives.
  explicit ContributionSets(bool repeats_allowed);

  /// Ranks first..last, each once.
  Set of(Contributions ranks);
  /// Both together.
  Set sum(Set a, Set b);
  /// The first difference in words: "lacks the contribution of rank 3"; empty if equal.
  std::string difference(Set is, Set wanted) const;

 private:
  struct Run {
    Rank first, last;
    std::int32_t times;
    bool operator==(const Run&) const = default;
  };
  std::span<const Run> runs(Set s) const {
    return std::span(runs_).subspan(begin_[s], begin_[s + 1] - begin_[s]);
  }
  Set intern(std::span<const Run> set);

  bool repeats_allowed_;
  std::vector<Run> runs_;
  std::vector<std::size_t> begin_;
  std::unordered_multimap<std::uint64_t, Set> numbers_;
  std::vector<Run> scratch_;
};

}  // namespace collcast
