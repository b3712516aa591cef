// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/knomial.hpp"

namespace collcast {

const Algorithm allreduce_reduce_broadcast{
    .collective = Collective::allreduce,
    .name = "reduce-broadcast",
    .description = "k-nomial reduce to rank 0, then k-nomial broadcast",
    .radix = true,
    .formula = "d (2 a + 2 n b + n g), d = (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p)",
    .source = "Chan, Heimlich, Purkayastha & van de Geijn, Concurrency Computat. Pract. Exper. 19, 2007",
    .schedule =
        [](const Call& c) {
          const Schedule broadcast = knomial_broadcast(c.ranks, c.radix);
          return then(mirrored(broadcast, Combine::reduce), broadcast);
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return knomial_depth(c.ranks, c.radix) * (2 * m.alpha + c.message * (2 * m.beta + m.gamma));
        },
};

}  // namespace collcast
