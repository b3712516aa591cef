// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm reduce_scatterv_pairwise{
    .collective = Collective::reduce_scatterv,
    .name = "pairwise",
    .description = "in step s rank r sends rank r + s its block",
    .formula = "(p-1) (a + max (b + g)), max = the largest block",
    .source =
        "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005; unequal blocks: the owner of the largest one "
        "receives it p-1 times",
    .schedule = [](const Call& c) { return reduce_scatter_pairwise.schedule(c); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + largest_block(c) * (m.beta + m.gamma));
        },
};

}  // namespace collcast
