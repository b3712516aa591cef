// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

/// Whether these are distinct ranks of the world with `own` among them.
bool possible_group(const std::vector<Rank>& ranks, Rank own, Rank world);

}  // namespace collcast
