// SPDX-License-Identifier: Apache-2.0
// What the catalogue says to bad input.
#include "algorithms/catalogue.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace collcast {
namespace {

std::string complaint(std::string_view collective, std::string_view name, const Call& call) {
  try {
    check(algorithm(definition(collective).collective, name), call);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(Catalogue, ComplainsOfCallsItCannotServe) {
  EXPECT_EQ(complaint("allgather", "recursive-doubling", {.ranks = 6}),
            "allgather recursive-doubling needs ranks: power of two, got 6");
  EXPECT_EQ(complaint("broadcast", "flat", {.ranks = 4, .root = 4}),
            "root must be a rank from 0 to 3, got 4");
  EXPECT_EQ(complaint("broadcast", "knomial", {.ranks = 4, .radix = 1}), "radix must be 2 or more, got 1");
  EXPECT_EQ(complaint("allreduce", "multi-ring", {.ranks = 4, .channels = 0}),
            "channels must be from 1 to 1024, got 0");
  EXPECT_EQ(
      complaint("allreduce", "hierarchical-ring", {.ranks = 8, .ranks_per_node = 3}),
      "allreduce hierarchical-ring needs full nodes, and 3 ranks per node do not divide 8 ranks; --algorithm "
      "all shows those that need no full nodes");
  EXPECT_EQ(complaint("allreduce", "no-such", {.ranks = 8}).substr(0, 64),
            "no algorithm 'no-such' for allreduce; expected one of: ring, mul");
}

// 8 blocks of 1000 B, 2 to a buffer: one level of the trees, then the three places below each of two.
TEST(Catalogue, PatKeepsWithinItsBuffer) {
  const Call call{.ranks = 8, .message = Bytes(8000), .buffer = Bytes(2500)};
  for (const char* collective : {"allgather", "reduce-scatter"}) {
    const Schedule s = algorithm(definition(collective).collective, "pat").schedule(call);
    EXPECT_EQ(s.steps, 4) << collective;
    for_each_step(s, false, [&](const Step& step) {
      for (const Transfer& t : step.transfers) EXPECT_LE(t.chunk.count, 2) << collective;
    });
  }
  EXPECT_EQ(complaint("allgather", "pat", {.ranks = 8, .buffer = Bytes(0)}),
            "a buffer must be larger than 0 B, got 0 B");
}

TEST(Catalogue, ComplainsOfCountsThatDoNotFit) {
  const std::vector<Bytes> three = {Bytes(1), Bytes(0), Bytes(2)};
  EXPECT_EQ(complaint("gatherv", "linear", {.ranks = 3, .message = Bytes(3), .counts = three}), "none");
  EXPECT_EQ(complaint("gatherv", "linear", {.ranks = 3, .message = Bytes(5), .counts = three}),
            "the counts add up to 3 B, not to 5 B");
  EXPECT_EQ(complaint("gatherv", "linear", {.ranks = 4, .message = Bytes(3), .counts = three}),
            "gatherv on 4 ranks takes 4 counts, got 3");
  EXPECT_EQ(complaint("gather", "linear", {.ranks = 3, .message = Bytes(3), .counts = three}),
            "gather takes no counts; its blocks are equal");
  EXPECT_EQ(complaint("alltoallv", "pairwise", {.ranks = 1, .message = Bytes(-1), .counts = {Bytes(-1)}}),
            "a count must be 0 B or more, got -1 B");
}

}  // namespace
}  // namespace collcast
