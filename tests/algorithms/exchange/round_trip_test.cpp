// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "algorithms/exchange/msccl.hpp"
#include "model/error.hpp"
#include "tests/algorithms/laws.hpp"

namespace collcast {
namespace {

bool writable(const Schedule& schedule) {
  bool plain = true;
  for_each_step(schedule, false, [&](const Step& step) {
    plain = plain && step.multicasts.empty();
    for (const Transfer& t : step.transfers)
      plain = plain && t.from.memory == Memory::device && t.to.memory == Memory::device;
  });
  return plain;
}

class RoundTrip : public testing::TestWithParam<const Algorithm*> {};

TEST_P(RoundTrip, KeepsMessagesAndBlocks) {
  const Algorithm& a = *GetParam();
  int written = 0;
  for_each_call(a, {2, 3, 4, 5, 6, 7, 8}, [&](const Call& call) {
    if (call.radix > 3 || call.channels > 3 || !call.counts.empty()) return;
    SCOPED_TRACE(describe(a, call));
    const Schedule schedule = a.schedule(call);
    if (definition(a.collective).counted || !writable(schedule)) {
      EXPECT_THROW(write_msccl(schedule, a.collective, "refused", call.root), InputError);
      return;
    }
    ++written;
    const std::string text = write_msccl(schedule, a.collective, "a < \"b\" & c", call.root);
    const ImportedAlgorithm back = parse_msccl(text, "written.xml");
    ASSERT_FALSE(back.wrong) << back.wrong->words();
    EXPECT_EQ(back.name, "a < \"b\" & c");
    EXPECT_EQ(back.collective, a.collective);
    EXPECT_EQ(back.schedule.ranks, schedule.ranks);
    EXPECT_EQ(back.schedule.blocks, schedule.blocks);
    const Traffic before = traffic(schedule), after = traffic(back.schedule);
    EXPECT_EQ(after.messages + back.unused_messages, before.messages);
    if (back.unused_messages == 0) {
      EXPECT_EQ(after.blocks, before.blocks);
      EXPECT_EQ(after.max_messages_sent, before.max_messages_sent);
    }
  });
  RecordProperty("written", written);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, RoundTrip, testing::ValuesIn(catalogue().begin(), catalogue().end()),
                         test_name);

TEST(RoundTrip, KeepsTheStepsOfARing) {
  const Schedule ring = algorithm(Collective::allreduce, "ring").schedule({.ranks = 8});
  EXPECT_EQ(parse_msccl(write_msccl(ring, Collective::allreduce, "ring"), "ring.xml").schedule.steps, 14);
}

TEST(RoundTrip, KeepsTheStepsOfAPipeline) {
  const Schedule chain = algorithm(Collective::broadcast, "chain").schedule({.ranks = 5, .segments = 6});
  EXPECT_EQ(parse_msccl(write_msccl(chain, Collective::broadcast, "chain"), "chain.xml").schedule.steps,
            chain.steps);
}

}  // namespace
}  // namespace collcast
