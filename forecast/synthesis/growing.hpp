// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/forest.hpp"
#include "forecast/synthesis/edge_prices.hpp"

namespace collcast {

/// `trees_per_root` trees from each root, on the routes that messages take: in turns each is cut down and
/// grown anew, edge by edge to where that is the cheapest. Prices of links and ports grow with how busy they
/// are. Of edges that cost about the same, those near the root are taken: trees are shallow. Pairs of ranks
/// between which no tree of `like` or of these goes cost thrice: fewer senders meet at a receiver. Ends when
/// the busiest link or port is as little busy as `enough` allows, of a byte of the message. After `stop` the
/// best so far.
Forest grow(const EdgeUses& uses, const Forest& like, const std::vector<Rank>& roots,
            std::int64_t trees_per_root, SecondsPerByte enough = {}, const Stop& stop = {});

/// Of a byte of the message: how long the busiest link or port is taken.
SecondsPerByte most_taken(const EdgeUses& uses, const Forest& forest, std::size_t roots);

}  // namespace collcast
