// SPDX-License-Identifier: Apache-2.0
#include "platforms/capabilities.hpp"

#include "support.hpp"

namespace collcast {
namespace {

using namespace testing;

Capabilities of(const std::string& platform, Rank ranks) {
  return Machine(load_platform(platform), ranks).capabilities();
}

TEST(Capabilities, OfTheTextbookHaveNoLimits) {
  const Capabilities c = of("flat", 8);
  ASSERT_TRUE(c.multicast && c.reduction);
  EXPECT_TRUE(std::isinf(c.multicast->mtu.value));
  EXPECT_TRUE(std::isinf(c.reduction->message_limit.value));
  EXPECT_EQ(c.reduction->bandwidth_share, 1);
}

TEST(Capabilities, ComeWithTheirLimits) {
  const Capabilities c = of("summit", 12);
  ASSERT_TRUE(c.multicast && c.reduction);
  EXPECT_EQ(c.multicast->mtu.value, 4096);
  EXPECT_NEAR(us(c.multicast->packet_overhead), 0.1, 1e-9);
  EXPECT_EQ(c.reduction->message_limit.value, 4096);
  EXPECT_NEAR(us(c.reduction->switch_latency), 0.4, 1e-9);
  EXPECT_EQ(c.reduction->bandwidth_share, 0.95);
}

TEST(Capabilities, OfTheNodeServeOneNode) {
  // NVLink SHARP on one node, that of the InfiniBand switches beyond.
  EXPECT_EQ(of("dgx-h100", 8).reduction->bandwidth_share, 0.85);
  EXPECT_EQ(of("dgx-h100", 16).reduction->bandwidth_share, 0.95);
  EXPECT_TRUE(of("dgx-a100", 8).reduction);
}

TEST(Capabilities, AreAbsentWhereNobodyBuiltThem) {
  EXPECT_FALSE(of("localhost", 8).multicast);
  EXPECT_FALSE(of("p4d", 16).multicast);
  EXPECT_FALSE(of("p4d", 16).reduction);
  EXPECT_FALSE(of("abci-v", 16).reduction);
}

TEST(Capabilities, RefuseSharesAboveOne) {
  EXPECT_EQ(complaint([] {
              edited("summit", "/network/in_network_reduction/bandwidth_share",
                     {{"value", 1.5}, {"source", "s"}, {"stamp", "guess"}});
            }),
            "x.json: network.in_network_reduction.bandwidth_share: a share is at most 1, not 1.5");
}

TEST(Dpu, IsAThirdPlaceWithCoresOfItsOwn) {
  const Machine m(load_platform("bluefield-2-cluster"), 64);
  EXPECT_EQ(m.dpu_cores(), 8);
  EXPECT_EQ(Machine(load_platform("bluefield-1-cluster"), 64).dpu_cores(), 16);
  EXPECT_EQ(Machine(load_platform("summit"), 6).dpu_cores(), 0);
  // Host to Arm memory: PCIe, then half of the Arm memory's bandwidth.
  EXPECT_NEAR(GBps(m.wire({0, Memory::host}, {0, Memory::dpu}, Bytes(0)).per_byte), 12, 1e-9);
  EXPECT_EQ(m.port_name(m.wire({0, Memory::dpu}, {32, Memory::dpu}, Bytes(0)).out), "node 0 NIC out");
  EXPECT_GT(m.gamma({0, Memory::dpu}), m.gamma({0, Memory::host}));
}

}  // namespace
}  // namespace collcast
