// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgather/ring.hpp"
#include "algorithms/scatter/knomial.hpp"

namespace collcast {

const Algorithm broadcast_scatter_allgather_ring{
    .collective = Collective::broadcast,
    .name = "scatter-allgather-ring",
    .description = "binomial scatter of p blocks, then ring allgather",
    .formula = "(ceil(lg p) + p-1) a + 2(p-1)/p n b",
    .source = "Barnett et al., Supercomputing 1994; Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule =
        [](const Call& c) { return then(knomial_scatter(c.ranks, 2, c.root), ring_allgather(c.ranks)); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double p = c.ranks;
          return (log_ceil(c.ranks) + p - 1) * m.alpha + 2 * (p - 1) / p * c.message * m.beta;
        },
};

}  // namespace collcast
