// SPDX-License-Identifier: Apache-2.0
// Listed messages as JSON: what is written is read back, and what is wrong is said.
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/exchange/listing_file.hpp"
#include "support/json.hpp"
#include "tests/algorithms/exchange/replaced.hpp"
#include "tests/complaint.hpp"

namespace collcast {
namespace {

using testing::replaced;

/// Two ranks trade their sums.
const Listing trade{2, 1, {{{0, 1, Combine::reduce, {{0, 1}}}, {1, 0, Combine::reduce, {{0, 1}}}}}};

std::string written(const Listing& listing, Collective c) {
  return write_listing(listing, algorithm_of(listing, c, "trade"), 0, "a test");
}
std::string listing_complaint(const std::string& text) {
  return testing::complaint([&] { parse_listing(parse_json(text, "x.json"), "x.json"); });
}

TEST(Listing, IsReadBack) {
  const ImportedAlgorithm a =
      parse_listing(parse_json(written(trade, Collective::allreduce), "x.json"), "x.json");
  EXPECT_EQ(a.algorithm.collective, Collective::allreduce);
  EXPECT_EQ(a.algorithm.name, "trade");
  EXPECT_EQ(a.ranks, 2);
  EXPECT_FALSE(a.wrong);
}

TEST(Listing, WhatDoesNotHoldIsKnown) {
  Listing half = trade;
  half.steps[0].pop_back();
  const ImportedAlgorithm a =
      parse_listing(parse_json(written(half, Collective::allreduce), "x.json"), "x.json");
  ASSERT_TRUE(a.wrong);
  EXPECT_EQ(a.refusal(),
            "allreduce trade on 2 ranks does not hold: block 0 of rank 0 lacks the contribution of rank 1");
}

/// Rank 0 has blocks 2 and 3 for rank 1. Of three segments, the second has its parts of both one after the
/// other: 2 * 3 + 1 * 2 = 8 and 9.
TEST(Listing, WhatIsForOneRankIsCutTogether) {
  const Listing one{2, 8, {{{0, 1, Combine::copy, {{2, 2}}}}}};
  Step step;
  algorithm_of(one, Collective::alltoall, "one").schedule({.ranks = 2, .segments = 3}).rule(1, step);
  ASSERT_EQ(step.transfers.size(), 1u);
  EXPECT_EQ(step.transfers[0].scattered, -1);
  EXPECT_EQ(step.transfers[0].chunk, (Chunk{8, 2}));
}

/// Each count is cut into as many blocks as the schedule has for it.
TEST(Listing, CountsAreCutIntoSegments) {
  const Listing swap{2, 4, {{{0, 1, Combine::copy, {{1, 1}}}, {1, 0, Combine::copy, {{2, 1}}}}}};
  const Algorithm a = algorithm_of(swap, Collective::alltoallv, "swap");
  Call call{.ranks = 2, .counts = {Bytes(0), Bytes(1000), Bytes(3000), Bytes(0)}};
  for (const Block segments : {1, 3}) {
    call.segments = segments;
    const Schedule s = a.schedule(call);
    const Layout sizes = layout(a, call, s);
    Bytes sent;
    for_each_step(s, true, [&](const Step& step) {
      for (const Transfer& t : step.transfers) sent += sizes.size(step, t);
    });
    EXPECT_NEAR(sent.value, 4000, 1e-9) << segments;
  }
}

/// Three ranks on a chain: two steps, and one more for each further segment.
TEST(Listing, SegmentsFollowEachOther) {
  const Listing chain{3, 1, {{{0, 1, Combine::copy, {{0, 1}}}}, {{1, 2, Combine::copy, {{0, 1}}}}}};
  EXPECT_EQ(schedule(chain, 1).steps, 2);
  EXPECT_EQ(schedule(chain, 5).steps, 6);
  for (const Block segments : {1, 2, 5})
    EXPECT_FALSE(prove(schedule(chain, segments), Collective::broadcast, 0)) << segments;
}

TEST(Listing, WhatIsWrongIsSaid) {
  const std::string good = written(trade, Collective::allreduce);
  EXPECT_EQ(listing_complaint(good), "");
  const std::pair<std::string, std::string> wrong[] = {
      {listing_complaint(replaced(good, "\"from\":0", "\"from\":2")),
       "x.json: step 0: 'from' has to be a whole number from 0 to 1, not 2"},
      {listing_complaint(replaced(good, "\"from\":0", "\"from\":1")),
       "x.json: step 0: a message from rank 1 to rank 1 has to be between two of the ranks and carry some of "
       "the 1 blocks"},
      {listing_complaint(replaced(good, "\"combine\":\"reduce\"", "\"combine\":\"add\"")),
       "x.json: step 0: 'combine' has to be copy or reduce, not 'add'"},
      {listing_complaint(replaced(good, "[[0,1]]", "[[0,2]]")),
       "x.json: step 0: a number of blocks has to be a whole number from 1 to 1, not 2"},
      {listing_complaint(replaced(good, "[[0,1]]", "[0]")),
       "x.json: step 0: blocks are the first and how many, [0, 1]"},
      {listing_complaint(replaced(good, "\"steps\":[[", "\"steps\":[0,[")),
       "x.json: step 0 has to be a list of messages"},
      {listing_complaint(replaced(good, "\"allreduce\"", "\"alltoall\"")),
       "x.json: 'blocks' has to be a multiple of 4, not 1"},
      {listing_complaint(replaced(good, "\"version\":1", "\"version\":2")),
       "x.json: 'version' has to be a whole number from 1 to 1, not 2"},
      {listing_complaint(replaced(good, "\"made_for\"", "\"made_in\"")), "x.json: unknown key 'made_in'"}};
  for (const auto& [said, expected] : wrong) EXPECT_EQ(said, expected);
}

}  // namespace
}  // namespace collcast
