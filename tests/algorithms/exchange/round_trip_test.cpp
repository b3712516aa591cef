// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/exchange/msccl.hpp"
#include "algorithms/forest.hpp"
#include "algorithms/listing.hpp"
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
    if (definition(a.collective).counted() || !writable(schedule)) {
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

/// Two messages from rank to rank in a step are not one after the other in the file: three segments of two
/// steps take four.
TEST(RoundTrip, KeepsWhatGoesSideBySide) {
  const Listing two{2, 4, {{{0, 1, Combine::copy, {{0, 1}}}}, {{0, 1, Combine::copy, {{1, 1}}}}}};
  Listing swap = two;
  for (std::size_t s = 0; s < 2; ++s)
    swap.steps[s].push_back({1, 0, Combine::copy, {{static_cast<Block>(s) + 2, 1}}});
  const Schedule written = schedule(swap, 3);
  EXPECT_EQ(written.steps, 4);
  const Schedule read =
      parse_msccl(write_msccl(written, Collective::allgather, "swap"), "swap.xml").algorithm.schedule({});
  EXPECT_EQ(read.steps, 4);
}

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

/// An alltoall of one step, rank by rank: each sends to the next rank first, or to rank 0.
Schedule all_to_all(Rank ranks, bool next_first) {
  return {ranks, ranks * ranks, 1, [=](std::int64_t, Step& out) {
            for (Rank r = 0; r < ranks; ++r)
              for (Rank k = next_first ? 1 : 0; k < ranks; ++k) {
                const Rank to = next_first ? (r + k) % ranks : k;
                if (to != r) out.send(r, to, {r * ranks + to, 1});
              }
          }};
}

TEST(RoundTrip, NobodyIsAtTheEndOfEverybodysList) {
  // As many rounds as a rank has peers, in each of which everybody sends and receives one message.
  constexpr Rank ranks = 7;
  for (const bool next_first : {true, false}) {
    const std::string text = write_msccl(all_to_all(ranks, next_first), Collective::alltoall, "all");
    const Schedule read = parse_msccl(text, "all.xml").algorithm.schedule({});
    EXPECT_EQ(read.steps, 1);
    for_each_step(read, false, [&](const Step& step) {
      ASSERT_EQ(step.transfers.size(), static_cast<std::size_t>(ranks * (ranks - 1)));
      for (std::size_t begin = 0; begin < step.transfers.size(); begin += ranks) {
        std::vector<int> sent(ranks), received(ranks);
        for (std::size_t i = begin; i < begin + ranks; ++i) {
          ++sent[static_cast<std::size_t>(step.transfers[i].from.rank)];
          ++received[static_cast<std::size_t>(step.transfers[i].to.rank)];
        }
        EXPECT_EQ(sent, std::vector<int>(ranks, 1)) << begin;
        EXPECT_EQ(received, std::vector<int>(ranks, 1)) << begin;
      }
    });
  }
}

TEST(RoundTrip, KeepsTheOrderOfARoot) {
  const Schedule tree = algorithm(Collective::broadcast, "knomial").schedule({.ranks = 8});
  const Schedule read =
      parse_msccl(write_msccl(tree, Collective::broadcast, "tree"), "tree.xml").algorithm.schedule({});
  const auto of_root = [](const Schedule& schedule) {
    std::vector<Rank> to;
    for_each_step(schedule, false, [&](const Step& step) {
      for (const Transfer& t : step.transfers)
        if (t.from.rank == 0) to.push_back(t.to.rank);
    });
    return to;
  };
  EXPECT_EQ(of_root(read), of_root(tree));
}

/// How many messages go on each channel, sorted.
std::vector<std::int64_t> by_channel(const Schedule& schedule) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(schedule.channels));
  for_each_step(schedule, false, [&](const Step& step) {
    for (const Transfer& t : step.transfers) ++all[t.channel];
  });
  std::ranges::sort(all);
  return all;
}

/// Trees are channels, also of the file.
TEST(RoundTrip, KeepsTheChannelsOfTrees) {
  Forest chains{4, 2, {}};
  for (Rank r = 0; r < 4; ++r)
    for (const Rank next : {1, 3})
      chains.trees.push_back({r,
                              1,
                              {{r, (r + next) % 4},
                               {(r + next) % 4, (r + 2 * next) % 4},
                               {(r + 2 * next) % 4, (r + 3 * next) % 4}}});
  for (const Collective c : {Collective::allgather, Collective::reduce_scatter, Collective::allreduce}) {
    const Schedule trees = schedule(chains, c, 0, 3);
    const Schedule read = parse_msccl(write_msccl(trees, c, "chains"), "chains.xml").algorithm.schedule({});
    EXPECT_EQ(read.channels, 8);
    EXPECT_EQ(by_channel(read), by_channel(trees));
  }
}

/// What goes on by another channel than it came by waits for it: the two are one.
TEST(RoundTrip, ChannelsThatWaitForEachOtherAreOne) {
  Schedule relayed{3, 1, 2, {}, 3};
  relayed.rule = [](std::int64_t s, Step& step) {
    step.transfers.push_back({static_cast<Rank>(s), static_cast<Rank>(s + 1), {0}});
    step.transfers.back().channel = static_cast<std::uint16_t>(2 * s);
    step.joins.push_back({0, 3});
  };
  const Schedule read =
      parse_msccl(write_msccl(relayed, Collective::broadcast, "relayed"), "r.xml").algorithm.schedule({});
  EXPECT_EQ(read.channels, 1);
  EXPECT_EQ(read.steps, 2);
}

/// A chain of 8 ranks passes each segment on 7 times: 2,857 segments are 20,000 messages.
TEST(Msccl, FilesStaySmall) {
  const Algorithm& chain = algorithm(Collective::broadcast, "pipelined-tree");
  const auto segments = [&](Block wanted) {
    return in_a_small_file(chain, {.ranks = 8, .segments = wanted}).segments;
  };
  EXPECT_EQ(segments(100), 100);
  EXPECT_EQ(segments(16384), 20000 / 7);
}

}  // namespace
}  // namespace collcast
