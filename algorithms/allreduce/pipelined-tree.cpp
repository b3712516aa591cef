// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/pipelined-tree.hpp"

namespace collcast {

const Algorithm allreduce_pipelined_tree{
    .collective = Collective::allreduce,
    .name = "pipelined-tree",
    .description = "K segments reduced up a binary tree, then broadcast down it",
    .segmented = true,
    .formula =
        "(2(K-1) + D) (2 a + n/K (2 b + g)), D = 2 floor(lg(p+1)) - 2 in a full tree (counted otherwise); K "
        "(...) if p = 2",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007 (segmented binary tree)",
    .schedule =
        [](const Call& c) {
          const Schedule broadcast = pipelined_tree_broadcast(c.ranks, c.segments);
          return then(mirrored(broadcast, Combine::reduce), broadcast);
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const Bytes segment = c.message / static_cast<double>(c.segments);
          return pipelined_tree_depth(c.ranks, c.segments) * (2 * m.alpha + segment * (2 * m.beta + m.gamma));
        },
};

}  // namespace collcast
