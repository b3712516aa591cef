// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/collective.hpp"

namespace collcast {

/// Multisets of ranks, for the proof: whose values a block combines, and how many times each. Equal sets
/// share one number of four bytes; each is stored once, as runs of ranks.
class ContributionSets {
 public:
  using Set = std::uint32_t;
  static constexpr Set none = 0;

  /// `repeats_allowed`: a rank counts once however often it is added.
  explicit ContributionSets(bool repeats_allowed);

  /// Ranks first..last, each once.
  Set of(Contributions ranks);
  /// The union of both, with multiplicities added.
  Set sum(Set a, Set b);
  /// The first difference in words, as "lacks the contribution of rank 3"; empty if the sets are equal.
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
