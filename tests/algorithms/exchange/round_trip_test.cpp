// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "algorithms/exchange/msccl.hpp"
#include "support/error.hpp"
#include "tests/algorithms/laws.hpp"

namespace collcast {
namespace {

bool writable(const Schedule& schedule) {
  bool plain = true;
  for_each_step(schedule, false, [&](const Step& step) {
    plain = plain && step.multicasts.empty() && step.reductions.empty();
    for (const Transfer& t : step.transfers)
      plain = plain && t.from.memory == Memory::device && t.to.memory == Memory::device && t.chunk.count > 0;
  });
  return plain;
}

class RoundTrip : public ::testing::TestWithParam<const Algorithm*> {};

TEST_P(RoundTrip, KeepsMessagesAndBlocks) {
  const Algorithm& a = *GetParam();
  for_each_call(a, {2, 3, 4, 5, 6, 7, 8}, [&](const Call& call) {
    if (call.radix > 3 || call.channels > 3 || !call.counts.empty()) return;
    SCOPED_TRACE(describe(a, call));
    const Schedule schedule = a.schedule(call);
    if (definition(a.collective).counted || !writable(schedule)) {
      EXPECT_THROW(write_msccl(schedule, a.collective, "refused", call.root), InputError);
      return;
    }
    const std::string text = write_msccl(schedule, a.collective, "a < \"b\" & c", call.root);
    const ImportedAlgorithm back = parse_msccl(text, "written.xml");
    ASSERT_FALSE(back.wrong) << back.wrong->words();
    EXPECT_EQ(back.algorithm.name, "a < \"b\" & c");
    EXPECT_EQ(back.algorithm.collective, a.collective);
    EXPECT_EQ(back.ranks, schedule.ranks);
    EXPECT_EQ(back.root, call.root);
    EXPECT_EQ(back.unused_messages, 0);
    const Schedule read = back.algorithm.schedule(call);
    EXPECT_EQ(read.blocks, schedule.blocks);
    const Traffic before = traffic(schedule), after = traffic(read);
    EXPECT_EQ(after.messages, before.messages);
    EXPECT_EQ(after.blocks, before.blocks);
    EXPECT_EQ(after.max_messages_sent, before.max_messages_sent);
    EXPECT_EQ(after.max_blocks_sent, before.max_blocks_sent);
  });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, RoundTrip, ::testing::ValuesIn(catalogue().begin(), catalogue().end()),
                         test_name);

TEST(RoundTrip, KeepsTheStepsOfARing) {
  const Schedule ring = algorithm(Collective::allreduce, "ring").schedule({.ranks = 8});
  EXPECT_EQ(
      parse_msccl(write_msccl(ring, Collective::allreduce, "ring"), "ring.xml").algorithm.schedule({}).steps,
      14);
}

TEST(RoundTrip, KeepsTheStepsOfAPipeline) {
  const Schedule chain = algorithm(Collective::broadcast, "chain").schedule({.ranks = 5, .segments = 6});
  EXPECT_EQ(parse_msccl(write_msccl(chain, Collective::broadcast, "chain"), "chain.xml")
                .algorithm.schedule({})
                .steps,
            chain.steps);
}

}  // namespace
}  // namespace collcast
