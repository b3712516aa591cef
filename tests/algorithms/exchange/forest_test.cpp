// SPDX-License-Identifier: Apache-2.0
// Trees as JSON: what is written is read back, and what is wrong is said.
#include <gtest/gtest.h>

#include <fstream>

#include "algorithms/exchange/forest_file.hpp"
#include "support/json.hpp"
#include "tests/algorithms/exchange/replaced.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"

namespace collcast {
namespace {

using testing::replaced;

/// A chain from each of three ranks.
const Forest chains{3, 1, {{0, 1, {{0, 1}, {1, 2}}}, {1, 1, {{1, 2}, {2, 0}}}, {2, 1, {{2, 0}, {0, 1}}}}};

ImportedAlgorithm read_back(const std::string& text) {
  return parse_forest(parse_json(text, "x.json"), "x.json");
}
std::string forest_complaint(const std::string& text) {
  return testing::complaint([&] { read_back(text); });
}

TEST(Forest, IsReadBack) {
  for (const Collective c : {Collective::allgather, Collective::reduce_scatter, Collective::allreduce}) {
    const ImportedAlgorithm a = read_back(write_forest(chains, c, 0, "a test"));
    EXPECT_EQ(a.algorithm.collective, c);
    EXPECT_EQ(a.ranks, 3);
    EXPECT_FALSE(a.wrong);
    for (const Block segments : {1, 4})
      EXPECT_FALSE(prove(a.algorithm.schedule({.ranks = 3, .segments = segments}), c));
  }
  const Forest one{3, 1, {chains.trees[1]}};
  const ImportedAlgorithm a = read_back(write_forest(one, Collective::broadcast, 1, "a test"));
  EXPECT_EQ(a.root, 1);
  EXPECT_FALSE(a.wrong);
}

/// The size that it was made for, and its segments, are kept.
TEST(Forest, KeepsItsSegments) {
  const BestSegments best{Bytes(1 << 20), 6};
  const std::string text = write_forest(chains, Collective::allgather, 0, "a test", best);
  EXPECT_EQ(read_back(text).algorithm.best_segments, best);
  EXPECT_FALSE(read_back(write_forest(chains, Collective::allgather, 0, "a test")).algorithm.best_segments);
  EXPECT_EQ(forest_complaint(replaced(text, "\"segments\"", "\"segment\"")), "x.json: unknown key 'segment'");
  EXPECT_EQ(forest_complaint(replaced(text, "\"message_bytes\":1048576,", "")),
            "x.json: 'message_bytes' is missing");
}

/// Three steps of a chain, and one more for each further segment.
TEST(Forest, ComplainsInOneLine) {
  const Folder folder;
  const std::string path = folder / "f.json";
  std::ofstream(path) << R"({"fo\nrmat": "collcast forest"})";
  EXPECT_EQ(testing::complaint([&] { read_algorithm(path); }), path + ": unknown key 'fo\\nrmat'");
}

TEST(Forest, SegmentsFollowEachOther) {
  EXPECT_EQ(schedule(chains, Collective::allgather, 0, 1).steps, 2);
  EXPECT_EQ(schedule(chains, Collective::allgather, 0, 5).steps, 6);
  EXPECT_EQ(schedule(chains, Collective::allreduce, 0, 5).steps, 8);
}

TEST(Forest, WhatIsWrongIsSaid) {
  const std::string good = write_forest(chains, Collective::allgather, 0, "a test");
  EXPECT_EQ(forest_complaint(good), "");
  const std::pair<std::string, std::string> wrong[] = {
      {forest_complaint(replaced(good, "\"ranks\":3", "\"ranks\":4")),
       "x.json: tree 0 does not reach all 4 ranks"},
      {forest_complaint(replaced(good, "[1,2]", "[2,1]")),
       "x.json: tree 0: the edge from 2 to 1 has to begin at a rank that was reached and end at one that was "
       "not"},
      {forest_complaint(replaced(good, "[1,2]", "[1,7]")),
       "x.json: tree 0: a rank has to be a whole number from 0 to 2, not 7"},
      {forest_complaint(replaced(good, "[1,2]", "[1]")), "x.json: tree 0: an edge is two ranks, [0, 1]"},
      {forest_complaint(replaced(good, "\"count\":1", "\"count\":2")), "x.json: rank 0 has 2 trees, not 1"},
      {forest_complaint(replaced(good, "\"version\":1", "\"version\":2")),
       "x.json: 'version' has to be a whole number from 1 to 1, not 2"},
      {forest_complaint(replaced(good, "\"made_for\"", "\"made_in\"")), "x.json: unknown key 'made_in'"},
      {forest_complaint(replaced(good, "\"allgather\"", "\"alltoall\"")),
       "x.json: trees do not play alltoall"},
      {forest_complaint("{}"), "x.json: 'format' is missing"},
      {forest_complaint("[]"), "x.json has to be an object"}};
  for (const auto& [said, expected] : wrong) EXPECT_EQ(said, expected);
}

}  // namespace
}  // namespace collcast
