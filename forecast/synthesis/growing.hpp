// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/forest.hpp"
#include "forecast/synthesis/edge_prices.hpp"

namespace collcast {

/// Grows `trees_per_root` trees from each root, on the routes that messages take. One tree after the other is
/// cut down and grown again, edge by edge, always by the cheapest. Links and ports get dearer the busier they
/// are. Among edges of about equal price the one nearest to the root is taken, so that trees stay shallow. An
/// edge costs three times as much if neither `like` nor any of these trees has it, so that fewer senders meet
/// at a receiver. Ends when the busiest link or port takes no longer than `enough` for a byte of the message;
/// after `stop` returns the best so far.
Forest grow(const EdgeUses& uses, const Forest& like, const std::vector<Rank>& roots,
            std::int64_t trees_per_root, SecondsPerByte enough = {}, const Stop& stop = {});

/// The link or port that a byte of the message keeps busy the longest.
Busy busiest(const EdgeUses& uses, const Forest& forest, std::size_t roots);

}  // namespace collcast
