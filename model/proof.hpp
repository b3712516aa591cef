// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/collective.hpp"

namespace collcast {

/// Where a schedule breaks its collective's definition.
struct Counterexample {
  Rank rank;
  Block block;
  std::string what;  ///< "lacks the contribution of rank 3"
  std::string words() const;
};

/// Executes a schedule on symbols: each block of each rank is the multiset of ranks whose values it combines.
/// The schedule holds if every rank ends with exactly what the definition asks for; otherwise the first rank
/// and block that do not. Memory: O(blocks held). `began`, if any, is called as each step begins, with its
/// number. Throws InputError where more than 8 GiB would be held.
std::optional<Counterexample> prove(const Schedule& schedule, Collective collective, Rank root = 0,
                                    const std::function<void(std::int64_t step)>& began = {});

}  // namespace collcast
