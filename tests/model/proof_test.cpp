// SPDX-License-Identifier: Apache-2.0
#include "model/proof.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "model/contributions.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

Schedule one_step(Rank ranks, Block blocks, std::vector<Transfer> transfers) {
  return {ranks, blocks, 1, [transfers](std::int64_t, Step& step) { step.transfers = transfers; }};
}

Transfer reduce(Rank from, Rank to) {
  return {from, to, {}, -1, 0, Combine::reduce};
}

std::string words(const Schedule& s, Collective c, Rank root = 0) {
  const auto wrong = prove(s, c, root);
  return wrong ? wrong->words() : "holds";
}

TEST(Contributions, SumsOverlapAndJoin) {
  ContributionSets sets(false);
  const auto low = sets.of({0, 3}), high = sets.of({4, 7}), all = sets.of({0, 7});
  EXPECT_EQ(sets.sum(low, high), all);
  EXPECT_EQ(sets.sum(high, low), all);
  EXPECT_NE(sets.sum(sets.of({0, 4}), high), all);
  EXPECT_EQ(sets.difference(sets.sum(sets.of({0, 4}), high), all),
            "holds the contribution of rank 4 more than once");
  EXPECT_EQ(sets.difference(low, all), "lacks the contribution of rank 4");
  EXPECT_EQ(sets.difference(all, low), "holds the contribution of rank 4, which does not belong there");
  EXPECT_EQ(sets.difference(ContributionSets::none, all), "holds nothing");
}

TEST(Contributions, GapsAreFilledInAnyOrder) {
  ContributionSets sets(false);
  auto odd = sets.of({1, 1}), even = sets.of({0, 0});
  for (Rank r = 3; r < 10; r += 2) odd = sets.sum(sets.of({r, r}), odd);
  for (Rank r = 2; r < 10; r += 2) even = sets.sum(even, sets.of({r, r}));
  EXPECT_EQ(sets.sum(odd, even), sets.of({0, 9}));
}

TEST(Contributions, RepeatsMayBeAllowed) {
  ContributionSets sets(true);
  EXPECT_EQ(sets.sum(sets.of({0, 4}), sets.of({2, 7})), sets.of({0, 7}));
}

TEST(Proof, NeedsARule) {
  EXPECT_THROW(prove({2, 1, 1, {}}, Collective::allreduce), InputError);
}

TEST(Proof, ASwapIsAnAllreduceOfTwo) {
  EXPECT_EQ(words(one_step(2, 1, {reduce(0, 1), reduce(1, 0)}), Collective::allreduce), "holds");
}

TEST(Proof, SaysHowFarItIsAndWhatIsTooLarge) {
  std::vector<std::int64_t> steps;
  prove(one_step(2, 1, {reduce(0, 1), reduce(1, 0)}), Collective::allreduce, 0,
        [&](std::int64_t step) { steps.push_back(step); });
  EXPECT_EQ(steps, std::vector<std::int64_t>{1});
  // 48 B for each of 1e5 blocks of 1e5 ranks: 480 GB.
  EXPECT_THROW(prove(one_step(100000, 100000, {}), Collective::allreduce), InputError);
}

TEST(Proof, NamesWhatIsMissing) {
  EXPECT_EQ(words(one_step(2, 1, {reduce(0, 1)}), Collective::allreduce),
            "block 0 of rank 0 lacks the contribution of rank 1");
}

TEST(Proof, NamesWhatIsDoubled) {
  EXPECT_EQ(words(one_step(2, 1, {reduce(0, 1), reduce(0, 1), reduce(1, 0)}), Collective::allreduce),
            "block 0 of rank 1 holds the contribution of rank 0 more than once");
}

TEST(Proof, CopyForReduceLosesTheOwnValue) {
  EXPECT_EQ(words(one_step(2, 1, {{0, 1, {}}, reduce(1, 0)}), Collective::allreduce),
            "block 0 of rank 1 lacks the contribution of rank 1");
}

TEST(Proof, NobodySendsWhatHeDoesNotHave) {
  EXPECT_EQ(words(one_step(3, 1, {{1, 2, {}}}), Collective::broadcast),
            "block 0 of rank 1 is sent to rank 2 before it is there");
}

TEST(Proof, RanksAndBlocksOutsideAreRefused) {
  EXPECT_EQ(words(one_step(2, 1, {{0, 2, {}}}), Collective::broadcast),
            "block 0 of rank 0 travels from or to no rank");
  EXPECT_EQ(words(one_step(2, 1, {{0, 1, {0, 2}}}), Collective::broadcast),
            "block 0 of rank 0 is outside the message");
  constexpr Block last = std::numeric_limits<Block>::max();  // behind it no block has a number
  EXPECT_EQ(words(one_step(2, 1, {{0, 1, {last, 1}}}), Collective::broadcast),
            "block " + std::to_string(last) + " of rank 0 is outside the message");
  EXPECT_NE(words(one_step(2, 3, {}), Collective::allgather), "holds");
}

TEST(Proof, StagedDataMustComeHome) {
  // A broadcast that leaves the message in rank 1's host memory has not delivered it.
  const Place host1{1, Memory::host};
  EXPECT_EQ(words(one_step(2, 1, {{0, host1, {}}}), Collective::broadcast),
            "block 0 of rank 1 holds nothing");
}

TEST(Proof, ReducingIntoNothingIsNoCopy) {
  const Schedule s{2, 2, 1, [](std::int64_t, Step& step) {
                     step.send(0, 1, {0}, Combine::reduce);
                     step.send(1, 0, {1});
                   }};
  EXPECT_EQ(words(s, Collective::allgather), "block 0 of rank 1 is reduced into before anything is there");
}

TEST(Proof, TheNetworkAddsUpWhatTheRanksSend) {
  const Schedule s{3, 1, 1, [](std::int64_t, Step& step) { step.reduce_in_network({0, 3}, 1, {0}); }};
  EXPECT_EQ(words(s, Collective::reduce, 1), "holds");
  const Schedule two{3, 1, 1, [](std::int64_t, Step& step) { step.reduce_in_network({1, 2}, 1, {0}); }};
  EXPECT_EQ(words(two, Collective::reduce, 1), "block 0 of rank 1 lacks the contribution of rank 0");
}

TEST(Proof, OneRankHoldsAtOnce) {
  for (const Definition& d : definitions()) {
    const Schedule s{1, d.blocks(1), 0, [](std::int64_t, Step&) {}};
    EXPECT_EQ(words(s, d.collective), "holds") << d.name;
  }
}

TEST(Definitions, StandInTheOrderOfTheEnum) {
  for (std::size_t i = 0; i < definitions().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(definitions()[i].collective), i) << definitions()[i].name;
}

}  // namespace
}  // namespace collcast
