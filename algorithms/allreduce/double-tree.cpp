// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/double-tree.hpp"

namespace collcast {

const Algorithm allreduce_double_tree{
    .collective = Collective::allreduce,
    .name = "double-tree",
    .description = "double-tree reduce to rank 0, then double-tree broadcast",
    .segmented = true,
    .formula =
        "(2(K-1) + D) (2 a + n/(2K) (2 b + g)), D <= 2 ceil(lg p) counted on the trees; an upper bound",
    .exact = false,
    .bound = [](Rank) { return 2.0; },
    .source = "Sanders, Speck & Traff, Parallel Computing 35(12), 2009",
    .schedule =
        [](const Call& c) {
          const Schedule broadcast = double_tree_broadcast(c.ranks, c.segments);
          return then(mirrored(broadcast, Combine::reduce), broadcast);
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const Bytes segment = c.message / (2.0 * static_cast<double>(c.segments));
          return double_tree_steps(c.ranks, c.segments) * (2 * m.alpha + segment * (2 * m.beta + m.gamma));
        },
};

}  // namespace collcast
