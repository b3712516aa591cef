// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine/capabilities.hpp"

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
  EXPECT_EQ(c.multicast->header.value, 74);
  EXPECT_EQ(c.reduction->message_limit.value, 256);
  EXPECT_EQ(c.reduction->window(), Bytes(1024));
  EXPECT_NEAR(us(c.reduction->switch_latency), 0.4, 1e-9);
  EXPECT_EQ(c.reduction->bandwidth_share, 0.95);
}

TEST(Capabilities, OfTheNodeServeOneNode) {
  // NVLink SHARP on one node, that of the InfiniBand switches beyond.
  EXPECT_EQ(of("dgx-h100", 8).reduction->bandwidth_share, 0.62);
  EXPECT_EQ(of("dgx-h100", 16).reduction->bandwidth_share, 0.95);
  // What stays on a node does not pass the network's switches.
  EXPECT_FALSE(of("dgx-a100", 8).reduction);
  EXPECT_TRUE(of("dgx-a100", 16).reduction);
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

const Wire plain{Seconds(1e-6), Seconds(0.5e-6), Seconds(0.5e-6), Seconds(0.1e-6), SecondsPerByte(1e-10)};

TEST(Capabilities, MulticastsGoInPacketsOfWhichSomeAreLost) {
  const MulticastLimits limits{.mtu = Bytes(4096),
                               .header = Bytes(74),
                               .packet_overhead = Seconds(0.2e-6),
                               .loss = 0.001,
                               .recovery = Seconds(20e-6)};
  const auto [wire, bytes] = through(limits, plain, Bytes(10000));  // three packets
  EXPECT_EQ(bytes, Bytes(10222));
  EXPECT_NEAR(us(wire.gap), 0.1 + 3 * 0.2, 1e-9);
  EXPECT_NEAR(us(wire.latency), 1 + 3 * (0.2 + 0.02), 1e-9);
  EXPECT_EQ(through(limits, plain, Bytes(0)).bytes, Bytes(74));  // an empty message is a packet
  EXPECT_EQ(through({}, plain, Bytes(1e9)).bytes, Bytes(1e9));
  EXPECT_EQ(through({}, plain, Bytes(1e9)).wire.latency, plain.latency);
}

/// Operation by operation: one leaves when the port is free and `outstanding` before it are back.
Seconds last_leaves(const ReductionLimits& limits, const Wire& wire, int operations) {
  std::vector<Seconds> back;
  Seconds free;
  const Seconds transmission = limits.message_limit * wire.per_byte;
  for (int i = 0; i < operations; ++i) {
    const int before = i - static_cast<int>(limits.outstanding);
    const Seconds leaves = before < 0 ? free : std::max(free, back[static_cast<std::size_t>(before)]);
    free = leaves + transmission;
    back.push_back(free + 2 * wire.latency);
  }
  return free;
}

TEST(Capabilities, ReductionsGoInOperationsOfWhichFewAreUnderWay) {
  for (const double outstanding : {1, 3, 16, 1000})
    for (const int operations : {1, 2, 3, 4, 7, 16, 17, 33, 100}) {
      const ReductionLimits limits{.message_limit = Bytes(256),
                                   .outstanding = outstanding,
                                   .switch_latency = Seconds(0.4e-6),
                                   .bandwidth_share = 0.5};
      const Bytes message = operations * limits.message_limit;
      const auto [wire, bytes] = through(limits, plain, plain, message, 3);
      Wire lone = plain;
      lone.latency += Seconds(1.2e-6);
      lone.per_byte = 2 * lone.per_byte;
      EXPECT_EQ(wire.per_byte, lone.per_byte);
      EXPECT_NEAR((wire.latency + message * wire.per_byte).value,
                  (lone.latency + last_leaves(limits, lone, operations)).value, 1e-15)
          << outstanding << " outstanding, " << operations << " operations";
      EXPECT_EQ(wire.gap, plain.gap);  // meanwhile others may use the port
      EXPECT_EQ(bytes, message);
    }
}

TEST(Capabilities, CountTheSwitchesOnTheWay) {
  const Machine m(load_platform("summit"), 6 * 18 * 2);
  const auto added = [&m](Rank from, Rank to) {
    return us(m.switched(Switching::reduction, from, to, Bytes(0)).wire.latency -
              m.wire(from, to, Bytes(0)).latency);
  };
  EXPECT_NEAR(added(6, 0), 0.4, 1e-9);           // both on one top-of-rack switch
  EXPECT_NEAR(added(6 * 18, 0), 3 * 0.4, 1e-9);  // up to a director and down
  EXPECT_NEAR(added(1, 0), 0.4, 1e-9);           // within a node, whose own switches cannot
}

TEST(Capabilities, KnowTheirStamp) {
  EXPECT_EQ(of("summit", 12).multicast->stamp, Stamp::guess);
  EXPECT_EQ(of("flat", 4).multicast->stamp, Stamp::what_if);
  EXPECT_EQ(of("testbed", 4).multicast->stamp, Stamp::what_if);  // its MTU alone changes nothing
}

TEST(Dpu, IsAThirdPlaceWithCoresOfItsOwn) {
  const Machine m(load_platform("bluefield-2-cluster"), 64);
  EXPECT_EQ(m.dpu_cores(), 8);
  EXPECT_EQ(Machine(load_platform("bluefield-1-cluster"), 64).dpu_cores(), 16);
  EXPECT_EQ(Machine(load_platform("summit"), 6).dpu_cores(), 0);
  for (const auto& [cores, counted] : {std::pair{"0.5", 1}, {"3e9", 65536}}) {
    Description d = load_platform("bluefield-2-cluster");
    set(d, std::string("devices.BlueField-2.cores=") + cores);
    EXPECT_EQ(Machine(d, 64).dpu_cores(), counted);
  }
  // Host to Arm memory: PCIe, then half of the Arm memory's bandwidth.
  EXPECT_NEAR(GBps(m.wire({0, Memory::host}, {0, Memory::dpu}, Bytes(0)).per_byte), 12, 1e-9);
  EXPECT_EQ(m.port_name(m.wire({0, Memory::dpu}, {32, Memory::dpu}, Bytes(0)).out), "node 0 NIC out");
  EXPECT_GT(m.gamma({0, Memory::dpu}), m.gamma({0, Memory::host}));
}

}  // namespace
}  // namespace collcast
