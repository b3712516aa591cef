// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allreduce/nvls-tree.hpp"

#include "algorithms/allreduce/double-tree.hpp"
#include "algorithms/nodes.hpp"
#include "model/repeats.hpp"

namespace collcast {
namespace {

/// Of a rail: one rank of each node, and its share of the message.
Call rail(const Call& c) {
  Call rail = c;
  rail.ranks = c.ranks / c.ranks_per_node;
  rail.message = c.message / c.ranks_per_node;
  return rail;
}

/// In a node's switch, segment by segment, the halves of the double tree taking turns: every rank takes the
/// sum of its share, in the order in which the trees reduce (the last segment first); or multicasts it, in
/// the order in which they broadcast.
Schedule in_switch(const Call& c, Combine combine) {
  const Block K = c.segments;
  auto rule = [=, q = c.ranks_per_node](std::int64_t s, Step& step) {
    const bool reduce = combine == Combine::reduce;
    const Block block = s % 2 * K + (reduce ? K - 1 - s / 2 : s / 2);
    for (Rank r = 0; r < q; ++r)
      if (reduce)
        step.reduce_in_network({0, q}, r, {r * 2 * K + block});
      else
        step.multicast(r, {0, q}, {r * 2 * K + block});
  };
  const std::int64_t steps = c.ranks_per_node == 1 ? 0 : 2 * K;
  return on_each_node(c, repeating({c.ranks_per_node, c.ranks_per_node * 2 * K, steps, rule}, {{0, steps}}));
}

/// The trees begin when the first segments are reduced, the multicasts when these are back from the trees:
/// each way takes them 2(K-1) + D steps, D for one segment.
Schedule nvls_tree(const Call& c) {
  const Block K = c.segments;
  const Schedule tree = allreduce_double_tree.schedule(rail(c));
  const auto share = [K](Rank i) { return i * 2 * K; };
  const auto on_rails = on_each_rail(c, tree, share, c.ranks_per_node * 2 * K);
  const std::int64_t twice_D = tree.steps == 0 ? 0 : tree.steps - 4 * (K - 1);
  return staggered(staggered(in_switch(c, Combine::reduce), on_rails, 2), in_switch(c, Combine::copy),
                   2 * K + twice_D);
}

}  // namespace

const Algorithm allreduce_nvls_tree{
    .collective = Collective::allreduce,
    .name = "nvls-tree",
    .description =
        "segment by segment each rank takes the sum of its share from the node's switch, a double tree on "
        "each rail adds those of the nodes, and each rank multicasts the result on its node",
    .segmented = true,
    .ranks_per_node = true,
    .formula = "2(q-1) (2K a + n/q b) + double-tree of n/q on N ranks; an upper bound",
    .exact = false,
    .bound = [](Rank) { return 2.0; },
    .source = "NCCL 2.18 (NVLSTree); formula counted from the schedule",
    .schedule = nvls_tree,
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double q = c.ranks_per_node, K = static_cast<double>(c.segments);
          return 2 * (q - 1) * (2 * K * m.alpha + c.message / q * m.beta) +
                 allreduce_double_tree.time(rail(c), m);
        },
};

}  // namespace collcast
