// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/pipelined-tree.hpp"

namespace collcast {

const Algorithm reduce_pipelined_tree{
    .collective = Collective::reduce,
    .name = "pipelined-tree",
    .description = "the pipelined binary tree backwards",
    .segmented = true,
    .formula =
        "(2(K-1) + D) (a + n/K (b + g)), D = 2 floor(lg(p+1)) - 2 in a full tree (counted otherwise); K "
        "(...) if p = 2",
    .source =
        "Pjesivac-Grbovic et al., Cluster Computing 10, 2007 (segmented binary tree); depth counted from the "
        "schedule",
    .schedule = [](const Call& c) { return mirrored(broadcast_pipelined_tree.schedule(c), Combine::reduce); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return pipelined_tree_depth(c.ranks, c.segments) *
                 (m.alpha + c.message / static_cast<double>(c.segments) * (m.beta + m.gamma));
        },
};

}  // namespace collcast
