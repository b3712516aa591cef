// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgather/ring.hpp"
#include "algorithms/allgatherv/linear.hpp"
#include "algorithms/nodes.hpp"
#include "algorithms/reduce-scatter/ring.hpp"

namespace collcast {

const Algorithm allreduce_hierarchical_two_shot{
    .collective = Collective::allreduce,
    .name = "hierarchical-two-shot",
    .description =
        "shares sent straight to who reduces them on each node, ring allreduce on each rail, sums sent "
        "straight back",
    .ranks_per_node = true,
    .formula =
        "(q-2) max(t, r) + t + r + (q-1) t + 2(N-1) a + (N-1)/N n/q (2 b + g), t = a + n/q b, r = n/q g",
    .source = "two-shot on nodes: Shah et al., MSCCL++, arXiv 2504.09014, 2025; rails: as hierarchical-ring",
    .schedule =
        [](const Call& c) {
          const Rank q = c.ranks_per_node, nodes = c.ranks / q;
          const Schedule gather = refine(linear_allgather(q), nodes);
          const Schedule rail = then(ring_reduce_scatter(nodes), ring_allgather(nodes));
          const Schedule rails = on_each_rail(c, rail, [nodes](Rank i) { return Block{i} * nodes; });
          return then(then(on_each_node(c, mirrored(gather, Combine::reduce)), rails),
                      on_each_node(c, gather));
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double q = c.ranks_per_node, nodes = c.ranks / q;
          const Bytes share = c.message / q;
          const Seconds transfer = m.alpha + share * m.beta;
          return received_at_once(q - 1, transfer, share * m.gamma) + (q - 1) * transfer +
                 2 * (nodes - 1) * m.alpha + (nodes - 1) / nodes * share * (2 * m.beta + m.gamma);
        },
};

}  // namespace collcast
