// SPDX-License-Identifier: Apache-2.0

#include "support.hpp"

namespace collcast {
namespace {

using namespace testing;

double one_way_us(const Wire& w) {
  return us(w.overhead + w.latency + w.receive_overhead);
}

TEST(AbciV, MeshRailsAndTaper) {
  const Machine m(load_platform("abci-v"), 4 * 1088);
  // Two NVLinks between any two GPUs: 48.48 GB/s measured.
  for (Rank a = 0; a < 4; ++a)
    for (Rank b = 0; b < 4; ++b)
      if (a != b) {
        EXPECT_NEAR(GBps(m.wire(a, b, Bytes(0)).per_byte), 48.48, 1e-9);
      }
  // Each PCIe switch has its own rail; empty messages were measured to take 0.87 and 1.29 us, short ones of
  // device memory 2.4 us.
  EXPECT_EQ(m.port_name(m.wire(1, 4, Bytes(0)).out), "node 0 NIC 0 out");
  EXPECT_EQ(m.port_name(m.wire(2, 4, Bytes(0)).out), "node 0 NIC 1 out");
  EXPECT_NEAR(one_way_us(m.wire({0, Memory::host}, {4, Memory::host}, Bytes(0))), 0.87, 0.01);
  EXPECT_NEAR(one_way_us(m.wire(0, 4, Bytes(0))), 1.29, 0.02);
  EXPECT_NEAR(one_way_us(m.wire(0, 4, Bytes(8))), 2.4, 0.05);
  // A rack: four leaves of 17 ports share 24 cables up.
  double up = 0;
  for (LinkId l = 0; l < m.links().size(); ++l)
    if (const std::string name = m.link_name(l);
        name.starts_with("rack ") && name.find("up") != std::string::npos)
      up += m.links()[l].bandwidth.value * 1e-9;
  EXPECT_NEAR(up / 32, 24 * 12.12, 1e-6);
}

/// Copied in and out at 11.5 GB/s: 0.3 us and 4096 B / 11.5 GB/s = 0.356 us at each end. Memory, 102.4 GB/s,
/// and UPI, 67.2 GB/s, carry both copies; they are none themselves, of 0.41 us at 10 GB/s.
TEST(AbciA, AHostMessageIsCopiedTwiceInANode) {
  const Machine m(load_platform("abci-a-mpi"), 8);
  const auto host = [&](Rank to) { return m.wire({0, Memory::host}, {to, Memory::host}, Bytes(4096)); };
  EXPECT_NEAR(one_way_us(host(1)), 2 * (0.3 + 0.35617) + 0.052, 1e-4);
  EXPECT_NEAR(one_way_us(host(7)), 2 * (0.3 + 0.35617) + 0.143, 1e-4);
  EXPECT_NEAR(GBps(host(1).per_byte), 102.4, 1e-9);
  EXPECT_NEAR(GBps(host(7).per_byte), 67.2, 1e-9);
}

/// SuperPODs: a core above pods of 40 and 128 nodes, so five switches instead of three.
TEST(Dgx, HoldsPublishedJobs) {
  for (const auto& [name, nodes, pod] : {std::tuple{"dgx-a100", 1120, 40}, {"dgx-h100", 2048, 128}}) {
    const Description d = load_platform(name);
    EXPECT_EQ(max_ranks(d), 8 * nodes);
    const Machine m(d, 8 * (pod + 1));
    const double near = one_way_us(m.wire(0, 8 * (pod - 1), Bytes(0)));
    EXPECT_NEAR(one_way_us(m.wire(0, 8 * pod, Bytes(0))) - near, 2 * 0.13, 1e-9) << name;
  }
}

TEST(Dgx1v, CubeMesh) {
  const Machine m(load_platform("dgx-1v"), 8);
  auto pace = [&](Rank a, Rank b) { return GBps(m.wire(a, b, Bytes(0)).per_byte); };
  EXPECT_NEAR(pace(0, 3), 50, 1e-9);
  EXPECT_NEAR(pace(0, 1), 25, 1e-9);
  EXPECT_NEAR(pace(0, 4), 50, 1e-9);
  // No NVLink between 0 and 5: PCIe switches and QPI.
  EXPECT_NEAR(pace(0, 5), 8, 1e-9);
  // Each GPU has six links, 6 x 25 GB/s cross the two halves.
  std::vector<double> out(8);
  double across = 0;
  for (LinkId link = 0; link < m.links().size(); ++link) {
    const Link& l = m.links()[link];
    int a, b;
    if (std::sscanf(m.link_name(link).c_str(), "node 0 gpu%d to gpu%d", &a, &b) != 2) continue;
    out[static_cast<std::size_t>(a)] += l.bandwidth.value * 1e-9;
    if (a < 4 && b >= 4) across += l.bandwidth.value * 1e-9;
  }
  for (double o : out) EXPECT_NEAR(o, 150, 1e-9);
  EXPECT_NEAR(across, 150, 1e-9);
}

TEST(Dgx2, EveryPairHasSixLinks) {
  const Machine m(load_platform("dgx-2"), 32);
  for (Rank b = 1; b < 16; ++b) EXPECT_NEAR(GBps(m.wire(0, b, Bytes(0)).per_byte), 6 * 21.8, 1e-9);
  EXPECT_EQ(m.port_name(m.wire(15, 16, Bytes(0)).out), "node 0 NIC 7 out");
}

TEST(Frontier, LinksAndTaper) {
  const Machine m(load_platform("frontier"), 8 * 9408);
  auto pace = [&](Rank a, Rank b) { return GBps(m.wire(a, b, Bytes(0)).per_byte); };
  EXPECT_NEAR(pace(0, 1), 200, 1e-9);
  EXPECT_NEAR(pace(0, 6), 100, 1e-9);
  EXPECT_NEAR(pace(0, 2), 50, 1e-9);
  EXPECT_NEAR(pace(0, 3), 36, 1e-9);  // by the processor
  EXPECT_NEAR(pace(0, 8), 25, 1e-9);
  EXPECT_EQ(m.port_name(m.wire(3, 8, Bytes(0)).out), "node 0 NIC 1 out");
  // Both adapters (PCIe 0.3 us, 0.15 each), the software's 0.67, and a switch; four and 20 m of cable at
  // most.
  const double ends = 2 * (0.3 + 0.15) + 0.67;
  EXPECT_NEAR(us(m.wire(0, 8, Bytes(0)).latency), ends + 0.35, 1e-9);
  EXPECT_NEAR(us(m.wire(0, 8 * 9407 + 1, Bytes(0)).latency), ends + 4 * 0.35 + 0.1, 1e-9);
  // 57 % of what a group's adapters inject leaves it.
  double out = 0;
  for (LinkId l = 0; l < m.links().size(); ++l)
    if (m.link_name(l) == "group 0 to other groups") out += m.links()[l].bandwidth.value * 1e-9;
  EXPECT_NEAR(out / (128 * 4 * 25), 0.57, 0.001);
}

TEST(Fugaku, LatencyGrowsWithTheHops) {
  const Machine m(load_platform("fugaku"), 4 * 158976);
  EXPECT_NEAR(us(m.wire(0, 4, Bytes(0)).latency), 0.49, 1e-9);  // the published one, to the next node
  // At most 1 + 1 + 1 + 12 + 11 + 12 links: to (1, 1, 1, 12, 11, 12).
  const Rank far = 4 * (1 + 2 * (1 + 3 * (1 + 2 * (12 + 24 * (11 + 23 * 12)))));
  EXPECT_NEAR(us(m.wire(0, far, Bytes(0)).latency), 0.49 + 37 * 0.08, 1e-9);
  EXPECT_NEAR(GBps(m.wire(0, far, Bytes(0)).per_byte), 6.35, 1e-9);
  EXPECT_EQ(m.port_name(m.wire(3, 4, Bytes(0)).out), "node 0 NIC 3 out");
}

}  // namespace
}  // namespace collcast
