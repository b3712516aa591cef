// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/knomial.hpp"
#include "algorithms/scatter/linear.hpp"

namespace collcast {

const Algorithm reduce_scatter_reduce_then_scatter{
    .collective = Collective::reduce_scatter,
    .name = "reduce-then-scatter",
    .description = "k-nomial reduce to rank 0, which then sends each rank its block, one after the other",
    .radix = true,
    .formula =
        "d (a + n b + n g) + (p-1) a + (p-1)/p n b, d = (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p)",
    .source = "Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce_scatter.c (non-overlapping)",
    .schedule =
        [](const Call& c) {
          const Schedule reduce = mirrored(knomial_broadcast(c.ranks, c.radix), Combine::reduce);
          return then(refine(reduce, c.ranks), linear_scatter(c.ranks, 0));
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return knomial_depth(c.ranks, c.radix) * (m.alpha + c.message * (m.beta + m.gamma)) +
                 (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
