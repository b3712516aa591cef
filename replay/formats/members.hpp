// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/formats/json.hpp"
#include "replay/source/source.hpp"

/// Checks of the ranks and groups that a file names, as its numbers may be anything.
namespace collcast {

/// `n` as a rank or a number of ranks, if a job may have it (`most_recorded_ranks`); else -1.
Rank possible_rank(std::int64_t n);
Rank possible_rank(const JsonValue& value);

/// The i-th rank of a group that begins at `first` and goes on in steps of `stride`; -1 if the world has no
/// such rank.
Rank strided(std::int64_t first, std::int64_t stride, std::int64_t i, Rank world);

/// The `count` ranks of such a group; empty if the world does not have all of them.
std::vector<Rank> strided_group(std::int64_t first, std::int64_t stride, std::int64_t count, Rank world);

/// A group of `size` of the world's ranks at equal distances with the rank `me` in it: consecutive ranks,
/// unless its place `own` (negative: not known), and those of the other ranks in the group's like, only fit
/// another distance. `fits` says whether the others' places do.
std::vector<Rank> equidistant_group(Rank me, int own, Rank size, Rank world,
                                    const std::function<bool(Rank distance)>& fits);

/// Whether `own` is the place of rank `me` in a group of `size` ranks at that distance.
bool is_place(Rank me, int own, Rank size, Rank distance);

/// Whether these are distinct ranks of the world with `own` among them.
bool possible_group(const std::vector<Rank>& ranks, Rank own, Rank world);

}  // namespace collcast
