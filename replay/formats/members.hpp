// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "replay/formats/json.hpp"
#include "replay/source/source.hpp"

/// What a file says of ranks and their groups, where its numbers may be anything.
namespace collcast {

/// The rank, or how many ranks there are, if a job may have that (`most_recorded_ranks`); else -1.
Rank possible_rank(std::int64_t n);
Rank possible_rank(const JsonValue& value);

/// The i-th rank of a group that begins at `first` and goes on in steps of `stride`; -1 if it is none of a
/// world's.
Rank strided(std::int64_t first, std::int64_t stride, std::int64_t i, Rank world);

/// The `count` ranks of such a group; empty if not all of them are the world's.
std::vector<Rank> strided_group(std::int64_t first, std::int64_t stride, std::int64_t count, Rank world);

/// Whether these are ranks of the world, each once, and `own` among them.
bool possible_group(const std::vector<Rank>& ranks, Rank own, Rank world);

}  // namespace collcast
