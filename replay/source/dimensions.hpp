// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "model/schedule.hpp"

namespace collcast {

/// `size` ranks, each `stride` after the one before.
struct Dimension {
  Rank stride = 1, size = 1;

  Rank coordinate(Rank rank) const { return rank / stride % size; }
  bool operator==(const Dimension&) const = default;
};

/// The grid, its fastest dimension first, whose lines, planes and so on these groups of a job's ranks are:
/// each group with equal strides, or with such groups at equal strides, ends a dimension at its stride and
/// another at its extent, where both divide the job. Of no groups: one dimension. Empty where strides and
/// extents do not divide each other.
std::vector<Dimension> dimensions_of(Rank ranks, const std::vector<std::vector<Rank>>& groups);

/// A group within a grid: in each dimension the coordinates of its ranks, ascending; none where all have the
/// same, which is then each member's own.
using GroupShape = std::vector<std::vector<Rank>>;

/// None where the group is no product of coordinates, or not in ascending order.
std::optional<GroupShape> shape_of(const std::vector<Rank>& group, const std::vector<Dimension>& grid);

}  // namespace collcast
