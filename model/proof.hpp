// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/collective.hpp"

namespace collcast {

/// A rank and a block whose content at the end is not what the collective defines.
struct Counterexample {
  Rank rank;
  Block block;
  std::string what;  ///< "lacks the contribution of rank 3"
  std::string words() const;
};

/// Proves a schedule by executing it on symbols: a block of a rank is the multiset of ranks whose values it
/// combines. Empty if every rank ends with exactly what the definition asks for, otherwise the first rank and
/// block that differ. Memory is O(blocks held). `began` is called with the number of each step as it begins.
/// Throws InputError if more than 8 GiB would be held.
std::optional<Counterexample> prove(const Schedule& schedule, Collective collective, Rank root = 0,
                                    const std::function<void(std::int64_t step)>& began = {});

/// Throws InputError, which calls the schedule `name`, unless it is for this collective and number of ranks,
/// and can be played: its messages run between its ranks and carry blocks that it has. Whether it is right,
/// `prove` says.
void check_playable(const Schedule& schedule, Collective collective, Rank ranks, const std::string& name);

}  // namespace collcast
