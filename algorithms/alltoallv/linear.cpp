// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

#include "algorithms/alltoall/linear.hpp"

namespace collcast {

const Algorithm alltoallv_linear{
    .collective = Collective::alltoallv,
    .name = "linear",
    .description = "every rank sends every other rank its block at once",
    .ranks = "up to 4096",
    .supports = up_to_4096,
    .formula =
        "sum over s = 1..p-1 of a + (largest block from a rank r to r + s) b; an upper bound, exact if equal",
    .exact = false,
    .bound = [](Rank ranks) { return std::max(ranks - 1.0, 1.0); },
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .schedule = [](const Call& c) { return linear_alltoall(c.ranks); },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return alltoallv_pairwise.time(c, m); },
};

}  // namespace collcast
