// SPDX-License-Identifier: Apache-2.0
#include "model/contributions.hpp"

#include <algorithm>
#include <limits>

namespace collcast {

ContributionSets::ContributionSets(bool repeats_allowed) : repeats_allowed_(repeats_allowed), begin_(1) {
  intern({});
}

ContributionSets::Set ContributionSets::of(Contributions ranks) {
  const Run run{ranks.first, ranks.last, 1};
  return intern({&run, 1});
}

/// Sweeps over the ends of both sets' runs; between two ends the multiplicity does not change.
ContributionSets::Set ContributionSets::sum(Set a, Set b) {
  if (a == none) return b;
  if (b == none) return a;
  const auto x = runs(a), y = runs(b);
  scratch_.clear();
  auto append = [this](Rank first, Rank last, std::int32_t times) {
    if (repeats_allowed_) times = 1;
    if (!scratch_.empty() && scratch_.back().last + 1 == first && scratch_.back().times == times)
      scratch_.back().last = last;
    else
      scratch_.push_back({first, last, times});
  };
  std::size_t i = 0, j = 0;
  Rank at = std::min(x[0].first, y[0].first);
  while (i < x.size() || j < y.size()) {
    const bool in_x = i < x.size() && x[i].first <= at, in_y = j < y.size() && y[j].first <= at;
    Rank until = std::numeric_limits<Rank>::max();  // the last rank before something changes
    if (i < x.size()) until = std::min(until, in_x ? x[i].last : x[i].first - 1);
    if (j < y.size()) until = std::min(until, in_y ? y[j].last : y[j].first - 1);
    if (in_x || in_y) append(at, until, (in_x ? x[i].times : 0) + (in_y ? y[j].times : 0));
    if (in_x && x[i].last == until) ++i;
    if (in_y && y[j].last == until) ++j;
    at = until + 1;
  }
  return intern(scratch_);
}

std::string ContributionSets::difference(Set is, Set wanted) const {
  auto times = [this](Set s, Rank r) {
    for (const Run& run : runs(s))
      if (run.first <= r && r <= run.last) return run.times;
    return 0;
  };
  if (is == wanted) return {};
  if (is == none) return "holds nothing";
  std::vector<Rank> candidates;  // the sets can differ first only where a run begins or ends
  for (Set s : {is, wanted})
    for (const Run& run : runs(s)) candidates.insert(candidates.end(), {run.first, run.last, run.last + 1});
  std::ranges::sort(candidates);
  for (Rank r : candidates) {
    const std::int32_t have = times(is, r), want = times(wanted, r);
    const std::string of_rank = "the contribution of rank " + std::to_string(r);
    if (have < want) return "lacks " + of_rank;
    if (have > want)
      return "holds " + of_rank + (want == 0 ? ", which does not belong there" : " more than once");
  }
  return {};
}

ContributionSets::Set ContributionSets::intern(std::span<const Run> set) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const Run& run : set)
    for (std::uint32_t word : {static_cast<std::uint32_t>(run.first), static_cast<std::uint32_t>(run.last),
                               static_cast<std::uint32_t>(run.times)})
      hash = (hash ^ word) * 0xff51afd7ed558ccdu, hash ^= hash >> 32;
  const auto [begin, end] = numbers_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (std::ranges::equal(runs(it->second), set)) return it->second;
  const auto number = static_cast<Set>(begin_.size() - 1);
  runs_.insert(runs_.end(), set.begin(), set.end());
  begin_.push_back(runs_.size());
  numbers_.emplace(hash, number);
  return number;
}

}  // namespace collcast
