// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "algorithms/catalogue.hpp"
#include "model/proof.hpp"
#include "tests/complaint.hpp"

namespace collcast::nccl {
namespace {

/// Nodes of `per_node` ranks, the last one with what is left.
std::vector<std::vector<Rank>> nodes(Rank ranks, Rank per_node) {
  std::vector<std::vector<Rank>> all;
  for (Rank r = 0; r < ranks; ++r) {
    if (r % per_node == 0) all.emplace_back();
    all.back().push_back(r);
  }
  return all;
}

/// Two channels on each node; the second visits its GPUs the other way round.
NodeChannels found(Rank per_node) {
  NodeChannels all;
  for (std::size_t ranks = 1; ranks <= static_cast<std::size_t>(per_node); ++ranks) {
    std::vector<int> there(ranks), back;
    std::iota(there.begin(), there.end(), 0);
    back.assign(there.rbegin(), there.rend());
    all[ranks].channels = {{there, 0}, {back, 0}};
  }
  return all;
}

TEST(NcclSchedules, ringsDoWhatTheyAreFor) {
  for (const Collective collective : {Collective::allreduce, Collective::reduce_scatter,
                                      Collective::allgather, Collective::broadcast, Collective::reduce})
    for (const Rank per_node : {1, 2, 3, 4})
      for (Rank ranks = 2; ranks <= 9; ++ranks)
        for (const Block loops : {1, 3}) {
          const auto all = orders(found(per_node), nodes(ranks, per_node), 2, 3);
          const bool rooted = definition(collective).rooted;
          for (Rank root = 0; root < (rooted ? ranks : 1); ++root)
            EXPECT_FALSE(prove(rings(collective, root, all, loops), collective, root))
                << definition(collective).name << ", " << ranks << " ranks, " << per_node << " a node";
        }
}

/// Down a chain, a chunk goes in pieces within a node and as a whole from node to node, where a proxy sends
/// it.
TEST(NcclSchedules, chainsGoInPiecesWithinNodes) {
  for (const Collective collective : {Collective::broadcast, Collective::reduce})
    for (const Rank per_node : {1, 2, 3})
      for (Rank root = 0; root < 7; ++root) {
        constexpr Block loops = 2, pieces = 3;
        const auto all = orders(found(per_node), nodes(7, per_node), 2, 2);
        const Schedule s = rings(collective, root, all, loops, 1, per_node, pieces);
        EXPECT_FALSE(prove(s, collective, root)) << root << ", " << per_node << " a node";
        for_each_step(s, false, [&](const Step& step) {
          for (const Transfer& t : step.transfers)
            EXPECT_EQ(t.chunk.count, t.from.rank / per_node == t.to.rank / per_node ? 1 : pieces);
        });
      }
}

/// Each node goes by its own channels, the first ones of them.
TEST(NcclSchedules, aPartialNodeHasItsOwnChannels) {
  NodeChannels all = found(3);
  all[2].channels = {{{1, 0}, 0}, {{0, 1}, 0}, {{1, 0}, 1}};
  EXPECT_EQ(orders(all, nodes(5, 3), 2, 3),
            (std::vector<Order>{{0, 1, 2, 4, 3}, {2, 1, 0, 3, 4}, {0, 1, 2, 4, 3}}));
}

TEST(NcclSchedules, emptyChunksAreNotSent) {
  const auto all = orders(found(2), nodes(4, 2), 2, 2);
  const Schedule two = rings(Collective::allreduce, 0, all, 1, 2);
  EXPECT_EQ(two.blocks, 2);
  EXPECT_EQ(traffic(two).messages, 2 * 6);
  EXPECT_FALSE(prove(two, Collective::allreduce));
}

/// A single loop leaves chunks empty; the last of several has smaller chunks instead, for all ranks.
TEST(NcclSchedules, theLastLoopHasSmallerChunks) {
  Play play;
  play.channels = 2, play.chunk = Bytes(100);
  const auto all = orders(found(2), nodes(4, 2), 2, 2);
  const auto blocks = [&](double loops, Bytes message) {
    play.loops = loops;
    const Algorithm a = scheduled("ring", Collective::allreduce, {}, play, all, 2, 2);
    return a.schedule({.ranks = 4, .message = message}).blocks;
  };
  EXPECT_EQ(blocks(1, Bytes(300)), 3);
  EXPECT_EQ(blocks(2, Bytes(900)), 16);
}

TEST(NcclSchedules, treesDoWhatTheyAreFor) {
  for (const Rank per_node : {1, 2, 3, 4})
    for (Rank ranks = 2; ranks <= 17; ++ranks)
      for (const Block loops : {1, 3})
        for (const bool at_once : {false, true}) {
          const auto all = orders(found(per_node), nodes(ranks, per_node), 2, 2);
          for (const Block together : {1, 2}) {
            const Schedule s =
                trees(all, 1, std::min(per_node, ranks), loops * together, at_once, 1, together);
            EXPECT_FALSE(prove(s, Collective::allreduce)) << ranks << " ranks, " << per_node;
          }
        }
}

/// Pieces of a chunk go one by one to a GPU of the node, together to another node.
TEST(NcclSchedules, treesSendWholeChunksFromNodeToNode) {
  constexpr Rank per_node = 2;
  const auto all = orders(found(per_node), nodes(6, per_node), 2, 2);
  for_each_step(trees(all, 1, per_node, 9, true, 1, 3), false, [&](const Step& step) {
    for (const Transfer& t : step.transfers)
      EXPECT_EQ(t.chunk.count, t.from.rank / per_node == t.to.rank / per_node ? 1 : 3);
  });
}

TEST(NcclSchedules, theLastChunkOfATreeHasWhatIsLeft) {
  const auto all = orders(found(2), nodes(6, 2), 2, 2);
  const Schedule s = trees(all, 1, 2, 11, false, 8);
  EXPECT_EQ(s.blocks, 22);
  EXPECT_FALSE(prove(s, Collective::allreduce));
  for_each_step(s, false, [](const Step& step) {
    for (const Transfer& t : step.transfers) EXPECT_EQ(t.chunk.count, t.chunk.first % 11 == 0 ? 8 : 3);
  });
}

/// A chunk of each of two channels and their copies: of each pair, a node inside one tree is a leaf of the
/// other. It receives (sends) a chunk of each of two children on the way up (down) and one on the way down
/// (up), in the other tree one on the way down (up): four for each pair, or twice its channels' bytes; the
/// two roots, which have one child, and nobody above, have less.
TEST(NcclSchedules, aNodeOfADoubleTreeMovesTwiceItsBytesEachWay) {
  constexpr Rank per_node = 2, ranks = 16;
  const auto all = orders(found(per_node), nodes(ranks, per_node), 2, 4);
  for (const Rank node : {2, 3, 4, 5})
    for (const Rank card : {0, 1}) {  // the channels enter and leave by different ranks
      Bytes in, out;
      for (const PairTraffic& p :
           traffic(Shape::tree, Collective::allreduce, 0, all, 2, per_node, Bytes(4))) {
        if (p.from / per_node == p.to / per_node) continue;
        if (p.from == node * per_node + card) out += p.bytes;
        if (p.to == node * per_node + card) in += p.bytes;
      }
      EXPECT_EQ(in, Bytes(4)) << node;
      EXPECT_EQ(out, Bytes(4)) << node;
    }
}

TEST(NcclSchedules, aRingThatNamesAGpuTwiceIsRefused) {
  EXPECT_EQ(collcast::testing::complaint([] {
              rings(Collective::allreduce, 0, {{0, 1, 1}}, 1);
            }),
            "a channel's order must name each of the 3 ranks once; rank 1 is one too many");
}

}  // namespace
}  // namespace collcast::nccl
