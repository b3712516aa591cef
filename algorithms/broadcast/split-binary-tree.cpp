// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/pipelined-tree.hpp"
#include "model/repeats.hpp"

namespace collcast {
namespace {

/// Level l begins at rank 2^l - 1. Rank r of level l has the children r + 2^l and r + 2^(l+1).
Rank parent(Rank r) {
  const int level = log2_floor(r + 1);
  const Rank width = 1 << level, place = r + 1 - width;
  return place < width / 2 ? r - width / 2 : r - width;
}

Schedule down(Rank p, Block segments) {
  auto rule = [=](std::int64_t s, Step& step) {
    for (Rank r = 1; r < p; ++r) {
      const std::int64_t since = s + 1 - binary_tree_arrival(r);
      if (since < 0 || since % 2 != 0 || since / 2 >= segments) continue;
      const Block half = r % 2 == 1 ? 0 : segments;
      step.send(parent(r), r, {half + since / 2});
    }
  };
  const int last = last_binary_tree_arrival(p);
  return repeating({p, 2 * segments, 2 * (segments - 1) + last, rule}, {{last - 1, 2 * segments, 2}});
}

/// If the number of ranks is even, the last one has no partner: the root sends it the half that it lacks.
Schedule swap_halves(Rank p, Block segments) {
  auto rule = [=](std::int64_t, Step& step) {
    for (Rank r = 1; r + 1 < p; r += 2) {
      step.send(r, r + 1, {0, segments});
      step.send(r + 1, r, {segments, segments});
    }
    if (p % 2 == 0) step.send(0, p - 1, {segments, segments});
  };
  return {p, 2 * segments, 1, rule};
}

/// From rank 0: the two halves of the message, of `segments` blocks each, go down the two subtrees of a
/// binary tree; then pairs of ranks, one from each subtree, exchange halves. Odd ranks are in the left
/// subtree.
Schedule split_binary_tree_broadcast(Rank p, Block segments) {
  return p == 1 ? idle(p, 2 * segments) : then(down(p, segments), swap_halves(p, segments));
}

/// The segments of one half of the message.
Block segments(const Call& c) {
  return (c.segments + 1) / 2;
}

}  // namespace

const Algorithm broadcast_split_binary_tree{
    .collective = Collective::broadcast,
    .name = "split-binary-tree",
    .description =
        "each half of the message down one side of a binary tree, K/2 segments each (K made even); "
        "then pairs of ranks swap halves",
    .segmented = true,
    .formula =
        "(K - 2 + D) (a + n/K b) + a + n/2 b, D as for pipelined-tree; K/2 in place of K - 2 + D if p = 2",
    .source =
        "Pjesivac-Grbovic et al., Cluster Computing 10, 2007 (split-binary tree); depth counted from the "
        "schedule",
    .schedule =
        [](const Call& c) { return rooted(split_binary_tree_broadcast(c.ranks, segments(c)), c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          const Block k = segments(c);
          return pipelined_tree_depth(c.ranks, k) *
                     (m.alpha + c.message / (2.0 * static_cast<double>(k)) * m.beta) +
                 m.alpha + c.message / 2.0 * m.beta;
        },
};

}  // namespace collcast
