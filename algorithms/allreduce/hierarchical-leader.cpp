// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allreduce/rabenseifner.hpp"
#include "algorithms/broadcast/knomial.hpp"
#include "algorithms/nodes.hpp"

namespace collcast {

const Algorithm allreduce_hierarchical_leader{
    .collective = Collective::allreduce,
    .name = "hierarchical-leader",
    .description =
        "k-nomial reduce to a leader on each node, Rabenseifner among leaders, broadcast on each node",
    .radix = true,
    .ranks_per_node = true,
    .formula = "d(q) (2 a + 2 n b + n g) + rabenseifner(N), d(q) the depth of the k-nomial tree of q ranks",
    .source = "Karonis et al., IPDPS 2000; leaders: Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule =
        [](const Call& c) {
          const Rank nodes = c.ranks / c.ranks_per_node;
          const Schedule leaders = rabenseifner_allreduce(nodes);
          const Block blocks = leaders.blocks;
          const Schedule broadcast =
              on_each_node(c, refine(knomial_broadcast(c.ranks_per_node, c.radix), blocks));
          return then(then(mirrored(broadcast, Combine::reduce),
                           on({0, nodes, c.ranks_per_node}, leaders, c.ranks, 0, blocks)),
                      broadcast);
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          Call leaders = c;
          leaders.ranks = c.ranks / c.ranks_per_node;
          return knomial_depth(c.ranks_per_node, c.radix) *
                     (2 * m.alpha + c.message * (2 * m.beta + m.gamma)) +
                 allreduce_rabenseifner.time(leaders, m);
        },
};

}  // namespace collcast
