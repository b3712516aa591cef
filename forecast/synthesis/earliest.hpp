// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "algorithms/forest.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// A tree from each root for parts of so many bytes, all grown together in the order of time: the next
/// message is always the one that arrives first, given when ranks have its part, and when processors and
/// ports are free. Of several, the one whose part the fewest ranks have (Won et al., TACOS, arXiv 2304.05301,
/// by chance). Trees of sums are those of copies in the opposite direction.
Forest earliest(const Fabric& fabric, Collective collective, const std::vector<Rank>& roots, Bytes part);

}  // namespace collcast
