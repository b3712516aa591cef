// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/reduce-scatter/ring.hpp"

namespace collcast {

const Algorithm reduce_scatterv_ring{
    .collective = Collective::reduce_scatterv,
    .name = "ring",
    .description = "partial sums travel once round a ring",
    .formula = "(p-1) (a + max (b + g)), max = the largest block",
    .source =
        "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005; unequal blocks: the largest one travels p-1 times",
    .schedule = [](const Call& c) { return ring_reduce_scatter(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + largest_block(c) * (m.beta + m.gamma));
        },
};

}  // namespace collcast
