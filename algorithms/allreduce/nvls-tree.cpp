// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allreduce/nvls-tree.hpp"

#include "algorithms/allgather/nvls.hpp"
#include "algorithms/allreduce/double-tree.hpp"
#include "algorithms/nodes.hpp"
#include "algorithms/reduce-scatter/nvls.hpp"

namespace collcast {
namespace {

/// Of a rail: one rank of each node, and its share of the message.
Call rail(const Call& c) {
  Call rail = c;
  rail.ranks = c.ranks / c.ranks_per_node;
  rail.message = c.message / c.ranks_per_node;
  return rail;
}

}  // namespace

const Algorithm allreduce_nvls_tree{
    .collective = Collective::allreduce,
    .name = "nvls-tree",
    .description =
        "each rank takes the sum of its share from the node's switch, a double tree on each rail adds those "
        "of the nodes, and each rank multicasts the result on its node",
    .segmented = true,
    .ranks_per_node = true,
    .formula = "2(q-1) (a + n/q b) + double-tree of n/q on N ranks; an upper bound",
    .exact = false,
    .bound = [](Rank) { return 2.0; },
    .source = "NCCL 2.18 (NVLSTree); formula counted from the schedule",
    .schedule =
        [](const Call& c) {
          const Rank q = c.ranks_per_node;
          const Call node{.ranks = q};
          const Schedule tree = allreduce_double_tree.schedule(rail(c));
          const Block each = tree.blocks;
          const auto share = [each](Rank i) { return i * each; };
          return then(then(on_each_node(c, refine(reduce_scatter_nvls.schedule(node), each)),
                           on_each_rail(c, tree, share, q * each)),
                      on_each_node(c, refine(allgather_nvls.schedule(node), each)));
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double q = c.ranks_per_node;
          return 2 * (q - 1) * (m.alpha + c.message / q * m.beta) + allreduce_double_tree.time(rail(c), m);
        },
};

}  // namespace collcast
