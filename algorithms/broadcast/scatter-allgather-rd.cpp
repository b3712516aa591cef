// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgather/recursive-doubling.hpp"
#include "algorithms/scatter/knomial.hpp"

namespace collcast {

const Algorithm broadcast_scatter_allgather_rd{
    .collective = Collective::broadcast,
    .name = "scatter-allgather-rd",
    .description = "binomial scatter of p blocks, then recursive-doubling allgather",
    .ranks = "power of two",
    .supports = power_of_two,
    .formula = "2 lg p a + 2(p-1)/p n b",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule =
        [](const Call& c) {
          return then(knomial_scatter(c.ranks, 2, c.root), recursive_doubling_allgather(c.ranks));
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double p = c.ranks;
          return 2 * log2_floor(c.ranks) * m.alpha + 2 * (p - 1) / p * c.message * m.beta;
        },
};

}  // namespace collcast
