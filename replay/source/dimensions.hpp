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

/// The grid of a job's ranks in which these groups are lines, planes and so on; the fastest dimension comes
/// first. A group with equal strides, or one made of such groups at equal strides, ends one dimension at its
/// stride and another at its extent, if both divide the job. Without groups there is one dimension. Empty if
/// strides and extents do not divide each other.
std::vector<Dimension> dimensions_of(Rank ranks, const std::vector<std::vector<Rank>>& groups);

/// A group's place in a grid: the ascending coordinates of its ranks in each dimension; empty in dimensions
/// along which all its ranks have the same coordinate.
using GroupShape = std::vector<std::vector<Rank>>;

/// None if the group is not a product of coordinates, or not in ascending order.
std::optional<GroupShape> shape_of(const std::vector<Rank>& group, const std::vector<Dimension>& grid);

}  // namespace collcast
