// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgather/ring.hpp"
#include "algorithms/reduce-scatter/ring.hpp"

namespace collcast {

const Algorithm allreduce_ring{
    .collective = Collective::allreduce,
    .name = "ring",
    .description = "reduce-scatter round a ring, then allgather round the same ring",
    .formula = "2(p-1) a + 2(p-1)/p n b + (p-1)/p n g",
    .source = "Patarasuk & Yuan, J. Parallel Distrib. Comput. 69, 2009",
    .schedule = [](const Call& c) { return then(ring_reduce_scatter(c.ranks), ring_allgather(c.ranks)); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double steps = c.ranks - 1;
          return 2 * steps * m.alpha + steps / c.ranks * c.message * (2 * m.beta + m.gamma);
        },
};

}  // namespace collcast
