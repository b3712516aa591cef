// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "model/schedule.hpp"

namespace collcast {

/// Ranks at regular distances: `count` of them `stride` apart, and again within the next dimension. The other
/// ranks of the world form groups alike, which communicate at the same time.
struct RankGroup {
  struct Dimension {
    Rank count, stride;
    auto operator<=>(const Dimension&) const = default;
  };
  std::vector<Dimension> dimensions;
  Rank world = 1;
  Rank first = 0;  ///< another than rank 0 where its place counts: of a message

  auto operator<=>(const RankGroup&) const = default;
  Rank size() const {
    Rank n = 1;
    for (const Dimension& d : dimensions) n *= d.count;
    return n;
  }
  /// Of every member.
  std::vector<Rank> members() const {
    std::vector<Rank> all = {first};
    for (const Dimension& d : dimensions) {
      const std::size_t before = all.size();
      for (Rank i = 1; i < d.count; ++i)
        for (std::size_t m = 0; m < before; ++m) all.push_back(all[m] + i * d.stride);
    }
    return all;
  }
};

/// Of a group that begins at rank 0: whether every group of the world lies on nodes of so many ranks as the
/// first does: as many of its members together on each.
bool alike_on_nodes(const RankGroup& group, Rank ranks_per_node);

/// The group whose members these are, moved so that the least is rank 0; none where they are not at regular
/// distances.
std::optional<RankGroup> group_of(std::vector<Rank> members, Rank world);

}  // namespace collcast
