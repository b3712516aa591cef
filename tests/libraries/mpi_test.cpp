// SPDX-License-Identifier: Apache-2.0
#include "libraries/mpi.hpp"

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "support/error.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

struct Expected {
  std::string_view policy;
  Collective collective;
  Rank ranks;
  double bytes;
  std::string_view algorithm;
};

/// Both sides of each switch point.
const Expected expected[] = {
    {"mpich", Collective::allreduce, 16, 2048, "recursive-doubling"},
    {"mpich", Collective::allreduce, 16, 2052, "rabenseifner"},
    {"mpich", Collective::allreduce, 1024, 4092, "recursive-doubling"},  // 1023 elements of 4 B
    {"mpich", Collective::allreduce, 1024, 4096, "rabenseifner"},
    {"mpich", Collective::reduce, 12, 2048, "knomial"},
    {"mpich", Collective::reduce, 12, 2049, "rabenseifner"},
    {"mpich", Collective::broadcast, 7, 1e9, "knomial"},
    {"mpich", Collective::broadcast, 8, 12287, "knomial"},
    {"mpich", Collective::broadcast, 8, 12288, "scatter-allgather-rd"},
    {"mpich", Collective::broadcast, 12, 12288, "scatter-allgather-ring"},
    {"mpich", Collective::broadcast, 8, 524288, "scatter-allgather-ring"},
    {"mpich", Collective::allgather, 16, 524287, "recursive-doubling"},
    {"mpich", Collective::allgather, 16, 524288, "ring"},
    {"mpich", Collective::allgather, 12, 81919, "bruck"},
    {"mpich", Collective::allgather, 12, 81920, "ring"},
    {"mpich", Collective::reduce_scatter, 16, 524287, "recursive-halving"},
    {"mpich", Collective::reduce_scatter, 12, 524287, "recursive-halving"},
    {"mpich", Collective::reduce_scatter, 12, 524288, "pairwise"},
    {"mpich", Collective::alltoall, 8, 8 * 256, "bruck"},
    {"mpich", Collective::alltoall, 7, 7 * 256, "linear"},
    {"mpich", Collective::alltoall, 8, 8 * 257, "linear"},
    {"mpich", Collective::alltoall, 8, 8 * 32769, "pairwise"},
    {"mpich", Collective::barrier, 5, 0, "dissemination"},
    {"smpi-mpich", Collective::allreduce, 16, 2048, "recursive-doubling"},
    {"smpi-mpich", Collective::allreduce, 16, 1 << 20, "recursive-doubling"},
    {"smpi-mpich", Collective::reduce, 12, 2047, "knomial"},
    {"smpi-mpich", Collective::reduce, 12, 2048, "rabenseifner"},
    {"smpi-mpich", Collective::broadcast, 8, 1e9, "knomial"},
    {"smpi-mpich", Collective::broadcast, 16, 524288, "knomial"},
    {"smpi-mpich", Collective::allgather, 16, 524287, "recursive-doubling"},
    {"smpi-mpich", Collective::allgather, 12, 81920, "bruck"},
    {"smpi-mpich", Collective::allgather, 12, 81921, "ring"},
    {"smpi-mpich", Collective::reduce_scatter, 12, 4 * 524289, "pairwise"},  // elements of 4 B
    {"smpi-mpich", Collective::allgatherv, 12, 4 * 81921, "ring"},
    {"smpi-mpich", Collective::alltoall, 8, 8 * 255, "bruck"},
    {"smpi-mpich", Collective::alltoall, 8, 8 * 256, "linear"},
    {"smpi-mpich", Collective::alltoall, 8, 8 * 32768, "pairwise"},
    {"smpi-mpich", Collective::alltoallv, 8, 8 * 32768, "linear"},
    {"smpi-mpich", Collective::gather, 5, 1, "knomial"},
    {"smpi-mpich", Collective::barrier, 5, 0, "dissemination"},
    {"openmpi-4.0", Collective::allreduce, 8, 9999, "recursive-doubling"},
    {"openmpi-4.0", Collective::allreduce, 8, 10000, "ring"},
    {"openmpi-4.0", Collective::allreduce, 8, 64 << 20, "ring"},              // segmented
    {"openmpi-4.0", Collective::allreduce, 4096, 16384, "reduce-broadcast"},  // fewer elements than ranks
    {"openmpi-4.0", Collective::broadcast, 16, 2047, "binomial-doubling"},
    {"openmpi-4.1", Collective::broadcast, 20, 524288, "binomial-doubling"},
    {"mvapich2-2.3", Collective::reduce_scatter, 16, 65536, "recursive-halving"},
    {"mvapich2-2.3", Collective::reduce_scatter, 16, 65537, "ring"},
    {"openmpi-4.0", Collective::broadcast, 16, 2048, "split-binary-tree"},
    {"openmpi-4.0", Collective::broadcast, 16, 370728, "chain"},
    {"openmpi-4.0", Collective::broadcast, 4, 1 << 20, "split-binary-tree"},  // 1.6134 + 2.1102 < 4
    {"openmpi-4.0", Collective::broadcast, 4, 2 << 20, "chain"},
    {"openmpi-4.0", Collective::reduce, 7, 511, "flat"},
    {"openmpi-4.0", Collective::reduce, 7, 20479, "knomial"},
    {"openmpi-4.0", Collective::reduce, 8, 16384, "pipelined-tree"},  // 1.8 < 8 < 10.4
    {"openmpi-4.0", Collective::reduce_scatter, 16, 262144, "recursive-halving"},
    {"openmpi-4.0", Collective::reduce_scatter, 12, 262144, "ring"},
    {"openmpi-4.1", Collective::broadcast, 16, 1 << 20, "scatter-allgather-rd"},
    {"openmpi-4.1", Collective::broadcast, 24, 1 << 20, "scatter-allgather-ring"},
    {"openmpi-4.0", Collective::allgatherv, 8, 8192, "bruck"},
    {"openmpi-4.0", Collective::allgatherv, 8, 50000, "neighbor-exchange"},
    {"openmpi-4.0", Collective::allgatherv, 9, 50000, "ring"},
    {"openmpi-4.0", Collective::gather, 8, 8 * 8192, "linear-sync"},
    {"openmpi-4.1", Collective::gather, 4, 4 << 20, "linear-sync"},
    {"openmpi-4.1", Collective::reduce_scatter, 7, 7, "reduce-then-scatter"},
    {"openmpi-4.1", Collective::reduce_scatter, 32, 2048, "butterfly"},
    {"openmpi-4.1", Collective::reduce_scatter, 4, 1, "reduce-then-scatter"},
    {"openmpi-4.1", Collective::reduce_scatter, 200, 1 << 20, "butterfly"},
    {"openmpi-4.0", Collective::allgather, 12, 49999, "bruck"},
    {"openmpi-4.0", Collective::allgather, 16, 49999, "recursive-doubling"},
    {"openmpi-4.0", Collective::allgather, 12, 50000, "neighbor-exchange"},
    {"openmpi-4.0", Collective::allgather, 13, 50000, "ring"},
    {"openmpi-4.0", Collective::alltoall, 12, 12 * 199, "linear"},
    {"openmpi-4.0", Collective::alltoall, 13, 13 * 199, "bruck"},
    {"openmpi-4.0", Collective::alltoall, 13, 13 * 3000, "pairwise"},
    {"openmpi-4.0", Collective::gather, 61, 61 * 6000, "knomial"},
    {"openmpi-4.0", Collective::scatter, 11, 11 * 300, "linear"},
    {"openmpi-4.0", Collective::barrier, 12, 0, "dissemination"},
    {"openmpi-4.1", Collective::allreduce, 2, 7, "recursive-doubling"},  // one element: no ring
    {"openmpi-4.1", Collective::allreduce, 2, 4100, "ring"},
    {"openmpi-4.1", Collective::allreduce, 16, 63, "recursive-doubling"},  // 15 elements
    {"openmpi-4.1", Collective::reduce, 3, 7, "flat"},                     // one element, of two
    {"openmpi-4.1", Collective::allreduce, 3, 8, "recursive-doubling"},
    {"openmpi-4.1", Collective::allreduce, 16, 4095, "recursive-doubling"},
    {"openmpi-4.1", Collective::allreduce, 16, 4096, "rabenseifner"},
    {"openmpi-4.1", Collective::allreduce, 5000, 32768, "ring"},
    {"openmpi-5.0", Collective::allreduce, 5000, 32768, "rabenseifner"},
    {"openmpi-5.0", Collective::allreduce, 4095, 3000, "recursive-doubling"},  // fewer elements than ranks
    {"openmpi-5.0", Collective::allreduce, 4095, 32768, "rabenseifner"},
    {"openmpi-5.0", Collective::broadcast, 4096, 262144, "scatter-allgather-rd"},
    {"openmpi-4.1", Collective::broadcast, 4096, 262144, "knomial"},
    {"openmpi-5.0", Collective::alltoall, 9000, 1, "bruck"},
    {"openmpi-5.0", Collective::alltoallv, 4096, 1, "linear"},
    {"openmpi-5.0", Collective::reduce_scatter, 9000, 8192, "butterfly"},
    {"openmpi-4.1", Collective::alltoall, 64, 64 * 1023, "bruck"},
    {"openmpi-4.1", Collective::alltoall, 64, 64 * 262144.0, "pairwise"},
    {"openmpi-4.1", Collective::alltoall, 9000, 1, "pairwise"},
    {"openmpi-4.1", Collective::broadcast, 12, 32768, "flat"},
    {"openmpi-4.1", Collective::broadcast, 100, 1e6, "knomial"},
    {"openmpi-4.1", Collective::reduce, 100, 1e6, "knomial"},
    {"openmpi-4.1", Collective::reduce, 6, 8192, "chain"},
    {"openmpi-4.1", Collective::allgather, 12, 1e6, "bruck"},  // recursive doubling needs a power of two
    {"openmpi-4.1", Collective::allgather, 16, 1e6, "recursive-doubling"},
    {"openmpi-4.1", Collective::allgather, 33, 33 * 2048, "ring"},  // neighbours pair up
    {"openmpi-4.1", Collective::allgather, 34, 34 * 2048, "neighbor-exchange"},
    {"openmpi-4.1", Collective::gather, 100, 1e6, "knomial"},
    {"openmpi-4.1", Collective::scatter, 100, 100 * 512, "linear"},
    {"openmpi-4.1", Collective::alltoallv, 64, 1e6, "pairwise"},
    {"openmpi-4.1", Collective::barrier, 4, 0, "linear"},
    {"openmpi-4.1", Collective::barrier, 300, 0, "tree"},
};

TEST(MpiPolicies, switch_where_the_libraries_do) {
  for (const Expected& e : expected) {
    const Pick p = pick(e.policy, e.collective, {.ranks = e.ranks, .message = Bytes(e.bytes)}, {});
    EXPECT_EQ(p.algorithm, e.algorithm) << p.why;
  }
}

TEST(MpiPolicies, the_knomial_broadcast_of_open_mpi_has_radix_4) {
  const Call call{.ranks = 100, .message = Bytes(1e6)};
  EXPECT_EQ(pick("openmpi-4.1", Collective::broadcast, call, {}).radix, 4);
  EXPECT_EQ(pick("openmpi-4.1", Collective::reduce, call, {}).radix, 2);
}

/// Pipelines of 4.0 have segments by size and ranks; 4.1's rules never segment.
TEST(MpiPolicies, open_mpi_4_0_segments) {
  const auto segment = [](std::string_view policy, Rank ranks, double bytes) {
    return pick(policy, Collective::broadcast, {.ranks = ranks, .message = Bytes(bytes)}, {}).segment->value;
  };
  EXPECT_EQ(segment("openmpi-4.0", 16, 65536), 1024);
  EXPECT_EQ(segment("openmpi-4.0", 12, 1 << 20), 8192);
  EXPECT_EQ(segment("openmpi-4.0", 16, 1 << 19), 8192);     // 10.5 < 16
  EXPECT_EQ(segment("openmpi-4.0", 16, 3 << 20), 16384);    // 8.6 < 16 < 18.9
  EXPECT_EQ(segment("openmpi-4.0", 16, 7 << 20), 65536);    // 13.9 < 16 < 18.6
  EXPECT_EQ(segment("openmpi-4.0", 16, 32 << 20), 131072);  // 56 > 16
  EXPECT_EQ(segment("openmpi-4.1", 300, 16384), 16384);
}

/// Broadcasts in 4.0 post their sends, but for the split binary tree; reductions and exchanges wait for each.
TEST(MpiPolicies, open_mpi_says_which_sends_block) {
  const auto blocking = [](Collective c, Rank ranks, double bytes) {
    return pick("openmpi-4.0", c, {.ranks = ranks, .message = Bytes(bytes)}, {}).blocking;
  };
  EXPECT_FALSE(blocking(Collective::broadcast, 16, 1024));
  EXPECT_TRUE(blocking(Collective::broadcast, 16, 65536));
  EXPECT_FALSE(blocking(Collective::broadcast, 16, 1 << 20));
  EXPECT_TRUE(blocking(Collective::allreduce, 16, 1024));
  EXPECT_TRUE(blocking(Collective::allreduce, 16, 1 << 20));
  EXPECT_FALSE(blocking(Collective::alltoall, 8, 8 * 1024));
  EXPECT_TRUE(blocking(Collective::alltoall, 8, 8 << 20));
}

TEST(MpiPolicies, why_is_one_line) {
  EXPECT_EQ(pick("mpich", Collective::broadcast, {.ranks = 8, .message = Bytes(12288)}, {}).why,
            "mpich: 12288 B on 8 ranks, up to 524287 B: scatter-allgather-rd");
  EXPECT_EQ(pick("openmpi-4.1", Collective::allgather, {.ranks = 12, .message = Bytes(1200)}, {}).why,
            "openmpi-4.1: 100 B per block on 12 ranks: recursive_doubling");
  for (const std::string_view policy : {"mpich", "openmpi-4.1"})
    EXPECT_NE(pick(policy, Collective::allreduce, {.ranks = 8, .message = Bytes(1048577)}, {})
                  .why.find(": 1048577 B"),
              std::string::npos)
        << policy;
}

/// Every pick can be played; a refusal says so.
TEST(MpiPolicies, pick_only_what_the_catalogue_can_play) {
  testing::EachOrOneIn tried(11);
  for (std::string_view policy : {"mpich", "smpi-mpich", "openmpi-4.0", "openmpi-4.1"})
    for (Collective c : ruled(policy))
      for (Rank p = 1; p <= 20000; p = p < 130 ? p + 1 : p * 2)
        for (double bytes = 1; bytes < 1e9; bytes *= 2) {
          if (!tried()) continue;
          try {
            const Pick found = pick(policy, c, {.ranks = p, .message = Bytes(bytes)}, {});
            EXPECT_TRUE(algorithm(c, found.algorithm).supports(p)) << found.why;
          } catch (const InputError& e) {
            const std::string why = e.what();
            EXPECT_NE(why.find("catalogue"), std::string::npos) << why;
            // Up to 4096 ranks, Open MPI and MPICH miss nothing else.
            EXPECT_TRUE(p > 4096 || policy.starts_with("smpi") || why.find("in-order_binary") != why.npos)
                << why;
          }
        }
}

std::string error(std::string_view policy, Collective collective, Rank ranks, double bytes) {
  try {
    pick(policy, collective, {.ranks = ranks, .message = Bytes(bytes)}, {});
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(MpiPolicies, what_the_catalogue_lacks_is_refused) {
  EXPECT_EQ(
      error("smpi-mpich", Collective::reduce_scatter, 8, 1024),
      "smpi-mpich: 256 elements on 8 ranks, up to 524288 elements: recursive-doubling, which the catalogue "
      "does not have for reduce-scatter");
  EXPECT_EQ(
      error("openmpi-4.1", Collective::reduce, 300, 8192),
      "openmpi-4.1: 8192 B on 300 ranks: in-order_binary, which the catalogue does not have for reduce on "
      "so many ranks");
}

TEST(MpiPolicies, bad_input_is_named) {
  EXPECT_EQ(error("openmpi", Collective::allreduce, 8, 1),
            "unknown policy 'openmpi'; did you mean 'openmpi-4.0', 'openmpi-4.1' or 'openmpi-5.0'?");
  EXPECT_EQ(error("ompi", Collective::allreduce, 8, 1),
            "unknown policy 'ompi'; did you mean 'openmpi-4.0', 'openmpi-4.1' or 'openmpi-5.0'?");
  EXPECT_EQ(error("mpich", Collective::halo_2d, 8, 1),
            "mpich has no rule for halo-2d; it has rules for allreduce, reduce, broadcast, allgather, "
            "reduce-scatter, alltoall, gather, scatter, barrier");
  EXPECT_EQ(error("mpich", Collective::allreduce, 0, 1), "ranks must be 1 or more, got 0");
}

}  // namespace
}  // namespace collcast
