// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/knomial.hpp"

namespace collcast {

const Algorithm reduce_knomial{
    .collective = Collective::reduce,
    .name = "knomial",
    .description = "the k-nomial broadcast backwards",
    .radix = true,
    .formula = "((k-1)(L-1) + floor((p-1)/k^(L-1))) (a + n b + n g), L = ceil(log_k p)",
    .source =
        "binomial (k = 2): Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005; k > 2 counted from the schedule",
    .schedule =
        [](const Call& c) {
          return rooted(mirrored(knomial_broadcast(c.ranks, c.radix), Combine::reduce), c.root);
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return knomial_depth(c.ranks, c.radix) * (m.alpha + c.message * (m.beta + m.gamma));
        },
};

}  // namespace collcast
