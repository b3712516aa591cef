// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgather/ring.hpp"
#include "algorithms/allgatherv/linear.hpp"
#include "algorithms/nodes.hpp"
#include "algorithms/scatter/knomial.hpp"

namespace collcast {

const Algorithm broadcast_hierarchical_scatter_allgather{
    .collective = Collective::broadcast,
    .name = "hierarchical-scatter-allgather",
    .description =
        "a share to each rank of the root's node, scatter-allgather on each rail, allgather on each node",
    .ranks_per_node = true,
    .formula = "2(q-1) (a + n/q b) + (ceil(lg N) + N-1) a + 2(N-1)/N n/q b",
    .source =
        "Traeff & Hunold, Decomposing MPI collectives for exploiting multi-lane communication, CLUSTER 2020",
    .schedule =
        [](const Call& c) {
          const Rank q = c.ranks_per_node, nodes = c.ranks / q;
          auto shares = [q, nodes, root = c.root](std::int64_t, Step& step) {
            for (Rank shift = 1; shift < q; ++shift) {
              const Rank rail = (root + shift) % q;
              step.send(root, root - root % q + rail, {Block{rail} * nodes, nodes});
            }
          };
          const Schedule rail = then(knomial_scatter(nodes, 2, c.root / q), ring_allgather(nodes));
          const Schedule rails = on_each_rail(c, rail, [nodes](Rank i) { return Block{i} * nodes; });
          return then(then({c.ranks, c.ranks, 1, shares}, rails),
                      on_each_node(c, refine(linear_allgather(q), nodes)));
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double q = c.ranks_per_node;
          const Rank nodes = c.ranks / c.ranks_per_node;
          const Bytes share = c.message / q;
          return 2 * (q - 1) * (m.alpha + share * m.beta) + (log_ceil(nodes) + nodes - 1.0) * m.alpha +
                 2 * (nodes - 1.0) / nodes * share * m.beta;
        },
};

}  // namespace collcast
