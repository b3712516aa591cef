// SPDX-License-Identifier: Apache-2.0
#include "model/lowering.hpp"

#include <gtest/gtest.h>

#include "model/compose.hpp"

namespace collcast {
namespace {

Schedule ring(Rank p, std::int64_t steps) {
  return {p, p, steps, [p](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r) step.send(r, (r + 1) % p, {(r + s) % p});
          }};
}

TEST(Lowering, EveryMessageHasBothItsEnds) {
  auto lowering = Lowering::make(ring(3, 2), Layout::equal(Bytes(6), 3), 7, {5, 6, 8}, true);
  auto strand = lowering->strand(1);
  Batch batch;
  ASSERT_TRUE(strand->next(batch));
  ASSERT_EQ(batch.ops.size(), 2u);
  const Op &receive = batch.ops[0], &send = batch.ops[1];
  EXPECT_EQ(receive.kind, Op::Kind::receive);
  EXPECT_EQ(receive.peer, 5);
  EXPECT_EQ(send.kind, Op::Kind::send);
  EXPECT_EQ(send.peer, 8);
  EXPECT_EQ(send.bytes.value, 2);
  EXPECT_EQ(send.tag, 7u);
  EXPECT_EQ(batch.pieces[send.first_piece], (Chunk{1, 1}));
}

/// Rank 2 hears of 0, 0, 1: the last message comes after one of another sender.
TEST(Lowering, SaysWhichMessagesComeAfterAnotherSenders) {
  Schedule s{3, 1, 3, [](std::int64_t i, Step& step) { step.send(i < 2 ? 0 : 1, 2, {}); }};
  auto lowering = Lowering::make(s, Layout::equal(Bytes(8), 1));
  const auto first = lowering->strand(0), second = lowering->strand(1);
  for (const auto& [strand, expected] :
       {std::pair(first.get(), false), {first.get(), false}, {second.get(), true}}) {
    Batch batch;
    ASSERT_TRUE(strand->next(batch));
    EXPECT_EQ(batch.ops[0].other_sender, expected);
  }
}

TEST(Lowering, ForgetsStepsThatEveryoneHasLeft) {
  auto lowering = Lowering::make(ring(4, 1000), Layout::equal(Bytes(4), 4));
  std::vector<std::unique_ptr<Strand>> strands;
  for (Rank r = 0; r < 4; ++r) strands.push_back(lowering->strand(r));
  Batch batch;
  for (int step = 0; step < 1000; ++step)
    for (auto& strand : strands) {
      batch.clear();
      ASSERT_TRUE(strand->next(batch));
      EXPECT_LE(lowering->steps_in_memory(), 2);
    }
  batch.clear();
  for (auto& strand : strands) EXPECT_FALSE(strand->next(batch));
}

TEST(Lowering, ChannelsStartTogetherAndJoin) {
  auto lowering = Lowering::make(then(beside(ring(2, 1), ring(2, 1)), beside(ring(2, 1), ring(2, 1))),
                                 Layout::equal(Bytes(4), 4), 100);
  auto root = lowering->strand(0);
  Batch batch;
  ASSERT_TRUE(root->next(batch));
  ASSERT_EQ(batch.strands.size(), 2u);
  auto channel = std::move(batch.strands[1]);
  batch.clear();
  ASSERT_TRUE(channel->next(batch));
  EXPECT_EQ(batch.ops[0].tag, 101u);
  batch.clear();
  ASSERT_TRUE(channel->next(batch));
  EXPECT_EQ(batch.ops[0].kind, Op::Kind::join);
  EXPECT_EQ(batch.ops[0].count, 2);
}

TEST(Lowering, StagingIsALocalCopy) {
  Schedule s{1, 1, 1, [](std::int64_t, Step& step) { step.send(0, {0, Memory::host}, {}); }};
  auto lowering = Lowering::make(s, Layout::equal(Bytes(8), 1));
  Batch batch;
  ASSERT_TRUE(lowering->strand(0)->next(batch));
  EXPECT_EQ(batch.ops[0].kind, Op::Kind::copy);
  EXPECT_EQ(batch.ops[0].to, Memory::host);
}

}  // namespace
}  // namespace collcast
