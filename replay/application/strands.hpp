// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "model/program.hpp"
#include "replay/source/activity.hpp"

namespace collcast {

/// A single operation.
std::unique_ptr<Strand> single(const Op& op);

/// One strand after another.
std::unique_ptr<Strand> then(std::unique_ptr<Strand> first, std::unique_ptr<Strand> second);

/// The messages of a collective, with the sizes that `rank` itself knows, as in an alltoallv nobody knows
/// all sizes.
std::unique_ptr<Strand> resized(std::unique_ptr<Strand> messages, const Activity& collective, Rank rank,
                                Rank ranks);

}  // namespace collcast
