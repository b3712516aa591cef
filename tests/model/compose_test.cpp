// SPDX-License-Identifier: Apache-2.0
#include "model/compose.hpp"

#include <gtest/gtest.h>

namespace collcast {
namespace {

/// Every rank sends its block to the next; the last one's wraps.
Schedule shift(Rank p) {
  return {p, p, 1, [p](std::int64_t, Step& step) {
            for (Rank r = 0; r < p; ++r) step.send(r, (r + 1) % p, {r});
          }};
}

std::string text(const Schedule& s) {
  std::string out;
  for_each_step(s, true, [&](const Step& step) {
    for (const Transfer& t : step.transfers) {
      out += std::to_string(t.from.rank) + ">" + std::to_string(t.to.rank);
      for (const Chunk& c : step.pieces(t))
        out += ":" + std::to_string(c.first) + "+" + std::to_string(c.count);
      out += "/" + std::to_string(t.channel) + (t.combine == Combine::reduce ? "r " : " ");
    }
    out += "| ";
  });
  return out;
}

TEST(Compose, ThenKeepsTheOrder) {
  EXPECT_EQ(text(then(shift(2), idle(2, 2))), text(shift(2)));
}

TEST(Compose, BesideGivesChannelsAndBlocksOfTheirOwn) {
  EXPECT_EQ(text(beside(shift(2), shift(2))), "0>1:0+1/0 1>0:1+1/0 0>1:2+1/1 1>0:3+1/1 | ");
}

TEST(Compose, OnPlacesAScheduleOnSomeRanksAndBlocks) {
  EXPECT_EQ(text(on({1, 2, 3}, shift(2), 6, 4, 8)), "1>4:4+1/0 4>1:5+1/0 | ");
}

TEST(Compose, OnEachPlacesItOnEveryGroup) {
  const auto nodes = on_each(
      2,
      [](Rank i) {
        return Ranks{2 * i, 2};
      },
      shift(2), 4, [](Rank i) { return 2 * i; }, 4);
  EXPECT_EQ(text(nodes), "0>1:0+1/0 1>0:1+1/0 2>3:2+1/0 3>2:3+1/0 | ");
}

TEST(Compose, TogetherRunsInTheSameSteps) {
  EXPECT_EQ(text(together({on({0, 2}, shift(2), 4, 0, 2), on({2, 2}, shift(2), 4, 0, 2)})),
            "0>1:0+1/0 1>0:1+1/0 2>3:0+1/0 3>2:1+1/0 | ");
}

TEST(Compose, KeepsTheWaysOfChannels) {
  Schedule two = beside(shift(4), shift(4));
  two.ways = 2;
  const Schedule one = shift(4);
  EXPECT_EQ(beside(two, two).channels, 4);
  EXPECT_EQ(beside(two, two).ways, 2);
  EXPECT_EQ(then(two, two).ways, 2);
  EXPECT_EQ(together({two, two}).ways, 2);
  EXPECT_EQ(on({0, 4}, two, 8, 0, 8).ways, 2);
  EXPECT_EQ(refine(two, 2).ways, 2);
  EXPECT_EQ(renamed(two, 8, [](Rank r) { return 2 * r; }).ways, 2);
  EXPECT_EQ(then(one, one).ways, 1);
  EXPECT_EQ(staggered(one, one, 1).ways, 1);
}

TEST(Compose, RefineCutsBlocks) {
  EXPECT_EQ(text(refine(shift(2), 3)), "0>1:0+3/0 1>0:3+3/0 | ");
}

TEST(Compose, MirrorTurnsTimeAndMessages) {
  EXPECT_EQ(text(mirrored(then(shift(2), on({0, 1}, idle(1, 2), 2, 0, 2)), Combine::reduce)),
            "1>0:0+1/0r 0>1:1+1/0r | ");
}

TEST(Compose, CyclicPiecesWrap) {
  Schedule s{2, 5, 1, [](std::int64_t, Step& step) { step.send_cyclic(0, 1, 3, 4, 5); }};
  EXPECT_EQ(text(refine(s, 2)), "0>1:6+4:0+4/0 | ");
}

TEST(Compose, TrafficCountsMessagesAndBlocks) {
  const Traffic t = traffic(then(shift(3), shift(3)));
  EXPECT_EQ(t.messages, 6);
  EXPECT_EQ(t.blocks, 6);
  EXPECT_EQ(t.max_messages_sent, 2);
}

TEST(Compose, CopiesWithinARankAreNoTraffic) {
  const Schedule s{2, 1, 1, [](std::int64_t, Step& step) { step.send(0, {0, Memory::host}, {0}); }};
  EXPECT_EQ(traffic(s).messages, 0);
}

}  // namespace
}  // namespace collcast
