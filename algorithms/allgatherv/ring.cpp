// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgather/ring.hpp"
#include "algorithms/allgatherv/linear.hpp"

namespace collcast {

const Algorithm allgatherv_ring{
    .collective = Collective::allgatherv,
    .name = "ring",
    .description = "every block travels once round a ring",
    .formula = "(p-1) (a + max b), max = the largest block",
    .source =
        "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005; unequal blocks: the largest one travels p-1 times",
    .schedule = [](const Call& c) { return ring_allgather(c.ranks); },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return allgatherv_linear.time(c, m); },
};

}  // namespace collcast
