// SPDX-License-Identifier: Apache-2.0
// What MVAPICH2 picks on both sides of each limit, and the settings of MVAPICH2-GDR.
#include "libraries/mvapich/settings.hpp"

#include <gtest/gtest.h>

#include "libraries/policy.hpp"
#include "libraries/transport.hpp"
#include "platforms/description/load.hpp"
#include "tests/complaint.hpp"

namespace collcast {
namespace {

using testing::complaint;

struct Picked {
  Collective collective;
  Rank ranks, nodes;
  double bytes;
  std::string_view algorithm;
};

Pick picked(std::string_view policy, Collective collective, Rank ranks, Rank nodes, double bytes) {
  const Call call{.ranks = ranks, .message = Bytes(bytes), .ranks_per_node = ranks / nodes};
  return pick(policy, collective, call, {.nodes = nodes});
}

const Picked picks[] = {
    {Collective::allreduce, 16, 16, 1024, "recursive-doubling"},
    {Collective::allreduce, 16, 16, 1025, "rabenseifner"},
    {Collective::allreduce, 17, 17, 2048, "recursive-doubling"},
    {Collective::allreduce, 128, 128, 2049, "rabenseifner"},
    {Collective::allreduce, 129, 129, 4096, "recursive-doubling"},
    {Collective::allreduce, 4096, 4096, 4097, "rabenseifner"},
    {Collective::allreduce, 32, 8, 2048, "hierarchical-leader"},  // two levels
    {Collective::allreduce, 32, 8, 2049, "rabenseifner"},
    {Collective::broadcast, 8, 8, 1e9, "knomial"},
    {Collective::broadcast, 8, 2, 1e9, "hierarchical-leader"},
    {Collective::broadcast, 16, 16, 8192, "knomial"},
    {Collective::broadcast, 16, 16, 8193, "knomial-pipeline"},
    {Collective::broadcast, 32, 32, 524288, "knomial-pipeline"},
    {Collective::broadcast, 32, 32, 524289, "scatter-allgather-ring"},
    {Collective::broadcast, 64, 64, 262145, "scatter-allgather-ring"},
    {Collective::broadcast, 256, 256, 131072, "knomial-pipeline"},
    {Collective::broadcast, 1024, 1024, 262144, "knomial-pipeline"},
    {Collective::reduce, 8, 8, 1048576, "knomial"},
    {Collective::reduce, 8, 8, 1048577, "rabenseifner"},
    {Collective::reduce, 32, 32, 131073, "rabenseifner"},
    {Collective::reduce, 1024, 1024, 1048576, "knomial"},
    {Collective::reduce_scatter, 8, 8, 256, "reduce-then-scatter"},
    {Collective::reduce_scatter, 8, 8, 257, "recursive-halving"},
    {Collective::reduce_scatter, 8, 8, 16385, "pairwise"},
    {Collective::reduce_scatter, 200, 200, 129, "recursive-halving"},
    {Collective::allgather, 16, 16, 16 * 524288, "recursive-doubling"},
    {Collective::allgather, 16, 16, 16 * 524289.0, "ring"},
    {Collective::allgather, 12, 12, 12, "bruck"},                     // recursive doubling, of a power of two
    {Collective::allgather, 16, 2, 16 * 1024, "recursive-doubling"},  // 8 on a node
    {Collective::allgather, 16, 2, 16 * 1025, "ring"},
    {Collective::allgather, 16, 4, 16 * 8192, "recursive-doubling"},  // 4 on a node: as 2
    {Collective::allgather, 16, 4, 16 * 8193, "ring"},
    {Collective::alltoall, 8, 8, 8, "linear"},
    {Collective::alltoall, 9, 9, 9 * 2048, "bruck"},
    {Collective::alltoall, 9, 9, 9 * 2049, "linear"},
    {Collective::alltoall, 64, 64, 64 * 8193, "pairwise"},
    {Collective::alltoall, 100, 100, 100 * 1025, "linear"},
    {Collective::alltoall, 100, 100, 100 * 4097, "pairwise"},
    {Collective::alltoall, 200, 200, 200 * 2048, "bruck"},
    {Collective::alltoall, 300, 300, 300 * 1025, "pairwise"},
};

TEST(Mvapich, PicksOnBothSidesOfItsLimits) {
  for (const Picked& p : picks)
    for (const char* policy : {"mvapich2-2.3", "mvapich2-gdr"})
      EXPECT_EQ(picked(policy, p.collective, p.ranks, p.nodes, p.bytes).algorithm, p.algorithm)
          << policy << ' ' << definition(p.collective).name << ' ' << p.ranks << " ranks, " << p.bytes;
}

TEST(Mvapich, TreesHaveFourChildrenAndSegmentsOf8KiB) {
  const Pick p = picked("mvapich2-2.3", Collective::broadcast, 32, 32, 65536);
  EXPECT_EQ(p.radix, 4);
  EXPECT_EQ(p.segment, Bytes(8192));
  EXPECT_EQ(p.why,
            "mvapich2-2.3: 65536 B on 32 ranks, up to 524288 B: pipelined, played as knomial-pipeline");
}

/// On so many nodes, up to such a size, and only where it is asked for.
TEST(Mvapich, MulticastsWithinItsLimits) {
  const auto broadcast = [](const char* policy, Rank nodes, double bytes) {
    return picked(policy, Collective::broadcast, nodes, nodes, bytes);
  };
  constexpr const char* multicast = "mvapich2-gdr:use_mcast=1";
  EXPECT_EQ(broadcast(multicast, 8, 524288).algorithm, "multicast-streaming");
  EXPECT_EQ(broadcast(multicast, 8, 524288).segment, Bytes(262144));
  EXPECT_EQ(broadcast(multicast, 7, 524288).algorithm, "knomial");
  EXPECT_EQ(broadcast(multicast, 8, 524289).algorithm, "knomial");
  EXPECT_EQ(broadcast("mvapich2-gdr", 8, 524288).algorithm, "knomial");
  EXPECT_EQ(broadcast("mvapich2-gdr:use_mcast=1,gpudirect_mcast_pipeline=0", 8, 1).algorithm, "multicast");
  EXPECT_EQ(broadcast("mvapich2-gdr:use_mcast=1,mcast_num_nodes_threshold=2,mcast_bcast_max_msg=1GiB", 2, 1e9)
                .algorithm,
            "multicast-streaming");
}

/// Of a rank's block in allgather and alltoall.
TEST(Mvapich, CollectivesAreStagedUpToTheirLimits) {
  const auto in_host = [](const char* policy, Collective collective, double bytes) {
    return picked(policy, collective, 4, 4, bytes).in_host;
  };
  for (const Collective c : {Collective::broadcast, Collective::allreduce, Collective::reduce}) {
    EXPECT_TRUE(in_host("mvapich2-gdr", c, 2097152));
    EXPECT_FALSE(in_host("mvapich2-gdr", c, 2097153));
    EXPECT_FALSE(in_host("mvapich2-2.3", c, 2097152));
    EXPECT_FALSE(in_host("mvapich2-gdr:cuda_use_naive=0", c, 1024));
  }
  EXPECT_TRUE(in_host("mvapich2-gdr", Collective::allgather, 4 * 1048576));
  EXPECT_FALSE(in_host("mvapich2-gdr", Collective::allgather, 4 * 1048577));
  EXPECT_TRUE(in_host("mvapich2-gdr", Collective::alltoall, 4 * 262144));
  EXPECT_FALSE(in_host("mvapich2-gdr", Collective::alltoall, 4 * 262145));
  EXPECT_FALSE(in_host("mvapich2-gdr:cuda_alltoall_naive_limit=64KiB", Collective::alltoall, 4 * 65537));
}

/// As the variables are called, in any case, MV2_ or not; sizes as everywhere.
TEST(Mvapich, SettingsStandBehindTheName) {
  EXPECT_EQ(mvapich::parse("mvapich2-gdr"), mvapich::Settings());
  const auto s = mvapich::parse("mvapich2-gdr:MV2_GPUDIRECT_LIMIT=16KiB,use_mcast=1");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->gpudirect_limit, 16384);
  EXPECT_EQ(s->use_mcast, 1);
  EXPECT_EQ(mvapich::text(*s), "mvapich2-gdr:gpudirect_limit=16384,use_mcast=1");
  EXPECT_EQ(mvapich::parse(mvapich::text(*s)), *s);
  EXPECT_EQ(parse_transport("mvapich2-gdr:gpudirect_limit=8KiB").name(), "mvapich2-gdr");
  for (const char* other : {"mvapich2", "mvapich2-gdr2", "nccl-2.18"}) EXPECT_FALSE(mvapich::parse(other));
}

TEST(Mvapich, OtherSettingsAreRefused) {
  const auto refusal = [](const char* name) { return complaint([&] { check_policy(name); }); };
  EXPECT_EQ(refusal("mvapich2-gdr:gpudirect_limt=1"),
            "mvapich2-gdr: no setting 'gpudirect_limt'; did you mean 'gpudirect_limit'?");
  EXPECT_TRUE(refusal("mvapich2-gdr:")
                  .starts_with("mvapich2-gdr: no setting ''; expected one of: use_gpudirect_rdma"));
  EXPECT_EQ(refusal("mvapich2-gdr:gpudirect_limit"),
            "mvapich2-gdr: gpudirect_limit needs a value: gpudirect_limit=N");
  EXPECT_EQ(refusal("mvapich2-gdr:use_mcast=2"), "mvapich2-gdr: use_mcast must be from 0 to 1");
  EXPECT_EQ(refusal("mvapich2-gdr:cuda_block_size=1"),
            "mvapich2-gdr: cuda_block_size must be from 1024 to 1099511627776");
  EXPECT_EQ(refusal("mvapich2-gdr:use_mcast=1,MV2_USE_MCAST=1"), "mvapich2-gdr: use_mcast is given twice");
  EXPECT_EQ(refusal("mvapich2"), "unknown policy 'mvapich2'; did you mean 'mvapich2-2.3' or 'mvapich2-gdr'?");
}

TEST(Mvapich, WhatHasNoTableIsRefused) {
  EXPECT_EQ(complaint([] { picked("mvapich2-2.3", Collective::gather, 8, 8, 8); }),
            "mvapich2-2.3 has no rule for gather; it has rules for allreduce, broadcast, reduce, "
            "reduce-scatter, allgather, alltoall");
}

}  // namespace
}  // namespace collcast
