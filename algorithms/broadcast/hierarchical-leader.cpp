// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/knomial.hpp"
#include "algorithms/nodes.hpp"

namespace collcast {

const Algorithm broadcast_hierarchical_leader{
    .collective = Collective::broadcast,
    .name = "hierarchical-leader",
    .description = "k-nomial among one rank of each node, then k-nomial on each node",
    .radix = true,
    .ranks_per_node = true,
    .formula = "(d(N) + d(q)) (a + n b), d(x) the depth of the k-nomial tree of x ranks",
    .source = "Karonis et al., IPDPS 2000",
    .schedule =
        [](const Call& c) {
          // The root leads its node. Ranks at the same place lead the other nodes.
          const Rank q = c.ranks_per_node, nodes = c.ranks / q, leader = c.root % q;
          const Schedule among = rooted(knomial_broadcast(nodes, c.radix), c.root / q);
          return then(on({leader, nodes, q}, among, c.ranks, 0, 1),
                      on_each_node(c, rooted(knomial_broadcast(q, c.radix), leader)));
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (knomial_depth(c.ranks / c.ranks_per_node, c.radix) +
                  knomial_depth(c.ranks_per_node, c.radix)) *
                 (m.alpha + c.message * m.beta);
        },
};

}  // namespace collcast
