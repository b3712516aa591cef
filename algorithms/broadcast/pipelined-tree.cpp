// SPDX-License-Identifier: Apache-2.0
#include "algorithms/broadcast/pipelined-tree.hpp"

#include <algorithm>
#include <bit>

#include "algorithms/rows.hpp"
#include "model/repeats.hpp"

namespace collcast {

/// The digits of r + 1 in binary, after the first 1, are the way from the root: 0 is left, 1 is right.
int binary_tree_arrival(Rank r) {
  const auto way = static_cast<unsigned>(r + 1);
  return std::bit_width(way) - 1 + std::popcount(way) - 1;
}

/// The largest is at the last rank, or at a rank whose way turns left once where the last rank's turns right,
/// and then only right.
int last_binary_tree_arrival(Rank p) {
  int last = binary_tree_arrival(p - 1);
  for (Rank bit = 1; bit <= p && p > 1; bit *= 2)
    if ((p & bit) != 0) last = std::max(last, binary_tree_arrival(((p & ~bit) | (bit - 1)) - 1));
  return last;
}

Schedule pipelined_tree_broadcast(Rank p, Block segments) {
  auto rule = [=](std::int64_t s, Step& step) {
    for (Rank r = 1; r < p; ++r) {
      const std::int64_t since = s + 1 - binary_tree_arrival(r);
      if (since >= 0 && since % 2 == 0 && since / 2 < segments) step.send((r - 1) / 2, r, {since / 2});
    }
  };
  if (p == 1) return idle(p, segments);
  const int last = last_binary_tree_arrival(p);
  return repeating({p, segments, 2 * (segments - 1) + last, rule}, {{last - 1, 2 * segments, 2}});
}

double pipelined_tree_depth(Rank p, Block segments) {
  if (p == 1) return 0;
  // A root with one child does not wait for the turn of a second one.
  return static_cast<double>(p == 2 ? segments : 2 * (segments - 1) + last_binary_tree_arrival(p));
}

const Algorithm broadcast_pipelined_tree{
    .collective = Collective::broadcast,
    .name = "pipelined-tree",
    .description = "K segments follow each other down a binary tree: left child first, then right",
    .segmented = true,
    .formula =
        "(2(K-1) + D) (a + n/K b), D = 2 floor(lg(p+1)) - 2 in a full tree (counted otherwise); K (a + n/K "
        "b) if p = 2",
    .source =
        "Pjesivac-Grbovic et al., Cluster Computing 10, 2007 (segmented binary tree); depth counted from the "
        "schedule",
    .schedule = [](const Call& c) { return rooted(pipelined_tree_broadcast(c.ranks, c.segments), c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return pipelined_tree_depth(c.ranks, c.segments) *
                 (m.alpha + c.message / static_cast<double>(c.segments) * m.beta);
        },
};

}  // namespace collcast
