// SPDX-License-Identifier: Apache-2.0
// What switches that multicast and reduce spare the ranks, counted by hand.
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "model/critical_path.hpp"

namespace collcast {
namespace {

/// Blocks that leave and reach a rank's port; what the switch replicates or has summed passes it once.
std::pair<Block, Block> blocks_of(const Schedule& s, Rank rank) {
  Block out = 0, in = 0;
  for_each_step(s, false, [&](const Step& step) {
    for (const Multicast& m : step.multicasts) (m.from.rank == rank ? out : in) += m.chunk.count;
    for (const Reduction& m : step.reductions) (m.to.rank == rank ? in : out) += m.chunk.count;
  });
  return {out, in};
}

/// Of n = 8 shares of 4 segments each rank sends 7/8 to be summed and 1/8 that it multicasts: n, once; it
/// takes 1/8 that is summed and 7/8 of the others: n.
TEST(Nvls, AMessageLeavesAndReachesARankOnce) {
  const Schedule s = algorithm(Collective::allreduce, "nvls").schedule({.ranks = 8, .segments = 4});
  for (Rank r = 0; r < 8; ++r) EXPECT_EQ(blocks_of(s, r), std::pair(Block{8 * 4}, Block{8 * 4}));
}

/// n = 800 B on 8 ranks at 1 B/s, no latency: phase after phase 2 x 700 s; in 10 segments of 10 B of each
/// share, 8 x 10 turns and 6 before the first multicast and after the last sum: 86 x 10 s.
TEST(Nvls, ItsHalvesOverlapSegmentBySegment) {
  const Algorithm& a = algorithm(Collective::allreduce, "nvls");
  const auto seconds = [&](Block segments) {
    const Call c{.ranks = 8, .message = Bytes(800), .segments = segments};
    const Schedule s = a.schedule(c);
    const UniformNetwork network(AlphaBetaGamma{Seconds(0), SecondsPerByte(1), SecondsPerByte(0)}, 8);
    return critical_path(s, layout(a, c, s), network).time.value;
  };
  EXPECT_NEAR(seconds(1), 1400, 1e-9);
  EXPECT_NEAR(seconds(10), 860, 1e-9);
}

/// 2 nodes of 2 ranks, 20 segments of each half of a share, one of a half in each step: the first is back and
/// multicast while others climb, and the multicasts take 40 steps, too.
TEST(NvlsTree, SegmentsClimbAndDescendAtOnce) {
  const Schedule s = algorithm(Collective::allreduce, "nvls-tree")
                         .schedule({.ranks = 4, .segments = 20, .ranks_per_node = 2});
  std::int64_t first = -1, last = -1, at = 0;
  for_each_step(s, false, [&](const Step& step) {
    if (first < 0 && !step.multicasts.empty()) first = at;
    if (!step.reductions.empty()) last = at;
    ++at;
  });
  EXPECT_EQ(last, 2 * 20 - 1);
  EXPECT_LT(first, 10);
  EXPECT_EQ(s.steps, first + 2 * 20);
}

}  // namespace
}  // namespace collcast
