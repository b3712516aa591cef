// SPDX-License-Identifier: Apache-2.0
#include "replay/source/dimensions.hpp"

#include <algorithm>
#include <set>

namespace collcast {
namespace {

/// A group as nested equal strides: of single ranks, then of the blocks that these form, and so on. Empty if
/// it is not like that.
std::vector<Dimension> strides_of(std::vector<Rank> group) {
  std::vector<Dimension> found;
  while (group.size() > 1) {
    const Rank stride = group[1] - group[0];
    std::size_t run = 1;
    while (run < group.size() && group[run] - group[run - 1] == stride) ++run;
    if (stride <= 0 || group.size() % run != 0) return {};
    std::vector<Rank> blocks;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (group[i] - group[i - i % run] != static_cast<Rank>(i % run) * stride) return {};
      if (i % run == 0) blocks.push_back(group[i]);
    }
    found.push_back({stride, static_cast<Rank>(run)});
    group = std::move(blocks);
  }
  return found;
}

}  // namespace

std::vector<Dimension> dimensions_of(Rank ranks, const std::vector<std::vector<Rank>>& groups) {
  std::set<std::int64_t> ends{1, ranks};
  for (const std::vector<Rank>& group : groups) {
    const auto strides = strides_of(group);
    const auto divides = [&](const Dimension& d) {
      return ranks % d.stride == 0 && ranks % (std::int64_t{d.stride} * d.size) == 0;
    };
    if (std::ranges::all_of(strides, divides))
      for (const Dimension& d : strides) ends.insert({d.stride, std::int64_t{d.stride} * d.size});
  }
  std::vector<Dimension> grid;
  for (auto end = std::next(ends.begin()); end != ends.end(); ++end) {
    const std::int64_t stride = *std::prev(end);
    if (*end % stride != 0) return {};
    grid.push_back({static_cast<Rank>(stride), static_cast<Rank>(*end / stride)});
  }
  if (grid.empty()) grid.push_back({});
  return grid;
}

std::optional<GroupShape> shape_of(const std::vector<Rank>& group, const std::vector<Dimension>& grid) {
  GroupShape shape;
  std::size_t product = 1;
  for (const Dimension& d : grid) {
    std::set<Rank> coordinates;
    for (const Rank r : group) coordinates.insert(d.coordinate(r));
    product *= coordinates.size();
    const bool own = coordinates.size() == 1 && d.size > 1;
    shape.emplace_back(own ? std::vector<Rank>{} : std::vector(coordinates.begin(), coordinates.end()));
  }
  const bool ascends = std::ranges::adjacent_find(group, std::greater_equal<>()) == group.end();
  if (product != group.size() || !ascends) return {};
  return shape;
}

}  // namespace collcast
