// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgather/hierarchical.hpp"
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm reduce_scatter_hierarchical{
    .collective = Collective::reduce_scatter,
    .name = "hierarchical",
    .description =
        "every rank sends all others of its node their rails' blocks at once; then a ring on each rail",
    .ranks_per_node = true,
    .formula = "(q-2) max(t, r) + t + r + (N-1) (a + n/p (b + g)), t = a + n/q b, r = n/q g",
    .source =
        "Traeff & Hunold, Decomposing MPI collectives for exploiting multi-lane communication, CLUSTER 2020",
    .schedule =
        [](const Call& c) {
          return mirrored(hierarchical_allgather(c.ranks, c.ranks_per_node), Combine::reduce);
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double q = c.ranks_per_node, nodes = c.ranks / q;
          const Bytes share = c.message / q;
          return received_at_once(q - 1, m.alpha + share * m.beta, share * m.gamma) +
                 (nodes - 1) * (m.alpha + c.message / c.ranks * (m.beta + m.gamma));
        },
};

}  // namespace collcast
