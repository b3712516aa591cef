// SPDX-License-Identifier: Apache-2.0
#include "model/rank_group.hpp"

#include <algorithm>
#include <cstdint>

namespace collcast {

Rank first_of(const RankGroup& group, Rank member) {
  Rank first = member;
  for (const RankGroup::Dimension& d : group.dimensions) first -= member / d.stride % d.count * d.stride;
  return first;
}

std::vector<Rank> firsts(const RankGroup& group) {
  std::vector<Rank> all;
  for (Rank r = 0; r < group.world; ++r)
    if (first_of(group, r) == r) all.push_back(r);
  return all;
}

bool fill_the_world(const RankGroup& group) {
  const std::vector<Rank> all = firsts(group);
  const Rank last = group.members().back() - group.first;
  return static_cast<std::int64_t>(all.size()) * group.size() == group.world &&
         std::ranges::all_of(all, [&](Rank first) { return first + last < group.world; });
}

bool alike_on_nodes(const RankGroup& group, Rank ranks_per_node) {
  const std::vector<Rank> members = group.members();
  return std::ranges::all_of(firsts(group), [&](Rank first) {
    return std::ranges::all_of(members, [&](Rank m) {
      return (first + m) / ranks_per_node - first / ranks_per_node == m / ranks_per_node;
    });
  });
}

std::optional<RankGroup> group_of(std::vector<Rank> members, Rank world) {
  std::ranges::sort(members);
  RankGroup group{{}, world};
  std::vector<Rank> firsts;  ///< the first rank of each run that the dimensions so far make
  for (const Rank m : members) firsts.push_back(m - members[0]);
  const std::vector<Rank> all = firsts;
  while (firsts.size() > 1) {
    const Rank stride = firsts[1];
    std::size_t run = 1;
    while (run < firsts.size() && firsts[run] == static_cast<Rank>(run) * stride) ++run;
    if (stride == 0 || firsts.size() % run != 0) return {};
    group.dimensions.push_back({static_cast<Rank>(run), stride});
    std::vector<Rank> next;
    for (std::size_t i = 0; i < firsts.size(); i += run) next.push_back(firsts[i]);
    firsts = std::move(next);
  }
  std::vector<Rank> told = group.members();
  std::ranges::sort(told);
  return told == all ? std::optional(group) : std::nullopt;
}

}  // namespace collcast
