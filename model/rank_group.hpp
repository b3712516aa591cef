// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "model/schedule.hpp"

namespace collcast {

/// A regular group of ranks: in each dimension `count` of them, `stride` apart. The world's other ranks form
/// groups of the same form, which communicate at the same time, unless it is alone.
struct RankGroup {
  struct Dimension {
    Rank count, stride;
    auto operator<=>(const Dimension&) const = default;
  };
  std::vector<Dimension> dimensions;
  Rank world = 1;
  Rank first = 0;  ///< the least member; 0 unless it matters which of the groups this is, as for a message
  bool alone = false;  ///< there are no other groups

  auto operator<=>(const RankGroup&) const = default;
  Rank size() const {
    Rank n = 1;
    for (const Dimension& d : dimensions) n *= d.count;
    return n;
  }
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

/// The least rank of the group that a rank is in.
Rank first_of(const RankGroup& group, Rank member);
/// The least rank of each group of the world, in ascending order.
std::vector<Rank> firsts(const RankGroup& group);

/// Whether groups of this form take all ranks of the world, each once.
bool fill_the_world(const RankGroup& group);

/// Whether every group of the world is spread over nodes like the one that begins at rank 0: with as many
/// members on each node.
bool alike_on_nodes(const RankGroup& group, Rank ranks_per_node);

/// The group of these members, shifted so that the least is rank 0; empty if they are not regular.
std::optional<RankGroup> group_of(std::vector<Rank> members, Rank world);

}  // namespace collcast
