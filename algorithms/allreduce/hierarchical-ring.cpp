// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgather/ring.hpp"
#include "algorithms/nodes.hpp"
#include "algorithms/reduce-scatter/ring.hpp"

namespace collcast {

const Algorithm allreduce_hierarchical_ring{
    .collective = Collective::allreduce,
    .name = "hierarchical-ring",
    .description =
        "ring reduce-scatter on each node, ring allreduce on each rail, ring allgather on each node",
    .ranks_per_node = true,
    .formula = "2(q-1) a + (q-1)/q n (2 b + g) + 2(N-1) a + (N-1)/N n/q (2 b + g)",
    .source = "Ueno & Yokota, CCGrid 2019",
    .schedule =
        [](const Call& c) {
          const Rank q = c.ranks_per_node, nodes = c.ranks / q;
          const Schedule gather = on_each_node(c, refine(ring_allgather(q), nodes));
          const Schedule scatter = on_each_node(c, refine(ring_reduce_scatter(q), nodes));
          const Schedule rail = then(ring_reduce_scatter(nodes), ring_allgather(nodes));
          const Schedule rails = on_each_rail(c, rail, [nodes](Rank i) { return Block{i} * nodes; });
          return then(then(scatter, rails), gather);
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double q = c.ranks_per_node, nodes = c.ranks / q;
          const Bytes share = c.message / q;
          return 2 * (q - 1 + nodes - 1) * m.alpha +
                 ((q - 1) * share + (nodes - 1) / nodes * share) * (2 * m.beta + m.gamma);
        },
};

}  // namespace collcast
