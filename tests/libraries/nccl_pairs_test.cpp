// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/pairs.hpp"

#include <gtest/gtest.h>

#include "libraries/situation.hpp"
#include "libraries/transport.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"

namespace collcast::nccl {
namespace {

Carriers carriers(const char* platform, Rank ranks, Rank peers, Policy policy = {.release = 18}) {
  const Description d = load_platform(platform);
  const Machine links(beneath({collcast::Transport::Kind::nccl}, d), ranks);
  return carriers_of_pairs(policy, situation(d, ranks, policy.text()), links, peers);
}

/// 12 NVLinks of 25 GB/s, taken for 20: 15 fit into 300 GB/s, two channels each are 30, so 32, and all 24
/// channels of the rings make 32, too. Together they reach 12 x 20 GB/s.
TEST(NcclPairs, OneMessageFillsASwitchedNode) {
  for (const Rank peers : {1, 7}) EXPECT_EQ(carriers("dgx-a100", 8, peers).channels, 32);
  EXPECT_NEAR(carriers("dgx-a100", 8, 7).most.value, 240e9, 1e6);
  EXPECT_EQ(carriers("dgx-a100", 8, 7, {.release = 18, .channels = 4}).channels, 4);
}

/// Some pairs of a DGX-1 have no NVLink: two channels each, and 14 of the 16 for seven peers.
TEST(NcclPairs, TheFarthestPairDecides) {
  EXPECT_EQ(carriers("dgx-1v", 8, 1).channels, 2);
  EXPECT_EQ(carriers("dgx-1v", 8, 7).channels, 14);
}

/// Two channels between nodes; the cards say how fast.
TEST(NcclPairs, BetweenNodesTwoChannels) {
  EXPECT_EQ(carriers("dgx-a100", 16, 1).channels, 2);
  EXPECT_EQ(carriers("dgx-a100", 16, 1).most, BytesPerSecond());
}

TEST(NcclPairs, ShortMessagesGoByLL) {
  EXPECT_EQ(pair_protocol({.release = 18}, Bytes(16384)), Protocol::ll);
  EXPECT_EQ(pair_protocol({.release = 18}, Bytes(16385)), Protocol::simple);
  EXPECT_EQ(pair_protocol({.release = 8}, Bytes(8)), Protocol::simple);
  EXPECT_EQ(pair_protocol({.release = 18, .proto = Protocol::simple}, Bytes(8)), Protocol::simple);
}

/// Also of nodes that are not alike.
TEST(NcclPairs, TurnsReachEveryPair) {
  for (const std::vector<std::vector<Rank>>& nodes : {std::vector<std::vector<Rank>>{{0}},
                                                      {{0, 1}, {2, 3}},
                                                      {{0, 2, 4}, {1, 3}},
                                                      {{0, 1, 2}, {3}, {4, 5}}}) {
    Rank ranks = 0;
    for (const auto& node : nodes) ranks += static_cast<Rank>(node.size());
    EXPECT_FALSE(prove(alltoall_in_turns(ranks, nodes), Collective::alltoall));
  }
}

}  // namespace
}  // namespace collcast::nccl
