// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine/machine.hpp"

#include "platforms/machine/paths.hpp"
#include "support.hpp"
#include "support/json.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;

struct ExpectedWire {
  Place from, to;
  double latency_us, bandwidth_GBps, both_overheads_us;
  const char *out, *in;
};

void expect(const Machine& m, const ExpectedWire& e) {
  const Wire w = m.wire(e.from, e.to, Bytes(0));
  EXPECT_NEAR(us(w.latency), e.latency_us, 1e-9);
  EXPECT_NEAR(GBps(w.per_byte), e.bandwidth_GBps, 1e-9);
  EXPECT_NEAR(us(w.overhead + w.receive_overhead), e.both_overheads_us, 1e-9);
  EXPECT_EQ(m.port_name(w.out), e.out);
  EXPECT_EQ(m.port_name(w.in), e.in);
}

TEST(Summit, WiresWithinANode) {
  const Machine m(plain_summit(), 27648);
  // One socket: NVLink 0.8 us and 2 x 25 GB/s, software 3.76 us; overheads 11.1 + 1.59 us.
  expect(m, {0, 1, 4.56, 50, 12.69, "node 0 gpu0 out to gpu1", "node 0 gpu1 in from gpu0"});
  // Across: NVLink, X-bus, NVLink, 0.8 + 0.2 + 0.8 us, software 3.76 us; the X-bus has 32 GB/s.
  expect(m, {8, 11, 5.56, 32, 12.69, "node 1 gpu2 out to cpu0", "node 1 gpu5 in from cpu1"});
  // Host memories of one socket: copies within it, 0.1 us; 0.18 + 0.06 us.
  expect(m, {{3, Memory::host},
             {5, Memory::host},
             0.1,
             31.2,
             0.24,
             "node 0 copies out of slot 3",
             "node 0 copies into slot 5"});
  // Staging by the rank itself: cudaMemcpy over its NVLink.
  expect(m, {{4, Memory::device},
             {4, Memory::host},
             0.8,
             50,
             9,
             "node 0 gpu4 out to cpu1",
             "node 0 cpu1 in from gpu4"});
}

TEST(Summit, WiresBetweenNodes) {
  const Machine m(plain_summit(), 27648);
  // NVLink 0.8, PCIe 0.1, port 0.15, one switch 0.09, and back; software 0.67; overheads 2 x 1.59 us.
  const double ends = 2 * (0.8 + 0.1 + 0.15) + 0.67;
  expect(m, {0, 6, ends + 0.09, 11.5, 3.18, "node 0 NIC 0 out", "node 1 NIC 0 in"});
  // The sockets' rails leave from two top-of-rack switches, which meet one level higher.
  expect(m, {0, 9, ends + 3 * 0.09, 11.5, 3.18, "node 0 NIC 0 out", "node 1 NIC 1 in"});
  // Racks 0 and 1 share a line card, racks 0 and 255 do not.
  expect(m, {0, 18 * 6, ends + 3 * 0.09, 11.5, 3.18, "node 0 NIC 0 out", "node 18 NIC 0 in"});
  expect(m, {3, 27647, ends + 5 * 0.09, 11.5, 3.18, "node 0 NIC 1 out", "node 4607 NIC 1 in"});
}

TEST(Summit, WithAllAdaptersOfANodeOnOneLeaf) {
  Json json = plain_summit().json();
  json["network"]["switches_per_node"] = 1;
  const Machine m({"x", "x.json", std::move(json)}, 27648);
  const double ends = 2 * (0.8 + 0.1 + 0.15) + 0.67;
  expect(m, {0, 9, ends + 0.09, 11.5, 3.18, "node 0 NIC 0 out", "node 1 NIC 1 in"});
  // A leaf has 18 ports down: nine nodes.
  expect(m, {0, 8 * 6, ends + 0.09, 11.5, 3.18, "node 0 NIC 0 out", "node 8 NIC 0 in"});
  expect(m, {0, 9 * 6, ends + 3 * 0.09, 11.5, 3.18, "node 0 NIC 0 out", "node 9 NIC 0 in"});
  // Two messages from node to node leave the leaf by two ways.
  std::vector<LinkId> one, other;
  m.route(0, 9 * 6, one);
  m.route(3, 9 * 6 + 3, other);
  for (LinkId l : one) EXPECT_EQ(std::ranges::count(other, l), 0);
}

TEST(Summit, MeasuredLatenciesOfSmallMessagesComeOut) {
  const Machine m(plain_summit(), 12);
  auto half_round_trip = [&](Place a, Place b) {
    const Wire w = m.wire(a, b, Bytes(0));
    return us(w.overhead + w.latency + w.receive_overhead);
  };
  // osu_latency 5.6.2 with Spectrum MPI: 1.26 and 6.04 us between nodes, 0.34 and 17.25 us within one.
  EXPECT_NEAR(half_round_trip({0, Memory::host}, {6, Memory::host}), 1.26, 1e-9);
  EXPECT_NEAR(half_round_trip(0, 6), 6.04, 0.005);
  EXPECT_NEAR(half_round_trip({0, Memory::host}, {1, Memory::host}), 0.34, 1e-9);
  EXPECT_NEAR(half_round_trip(0, 1), 17.25, 1e-9);
}

TEST(EdrCluster, Wires) {
  const Machine m(load_platform("edr-cluster"), 648);
  const double ends = 2 * (0.3 + 0.3 + 0.15) + 0.67;
  expect(m, {0, 17, ends + 0.09, 11.5, 3.18, "node 0 NIC out", "node 17 NIC in"});
  expect(m, {0, 18, ends + 3 * 0.09, 11.5, 3.18, "node 0 NIC out", "node 18 NIC in"});
}

TEST(Localhost, DeviceAndHostAreOneMemory) {
  const Machine m(load_platform("localhost"), 256);
  EXPECT_EQ(m.wire({0, Memory::device}, {0, Memory::host}, Bytes(0)).per_byte, SecondsPerByte());
  EXPECT_EQ(m.wire({0, Memory::device}, {1, Memory::host}, Bytes(0)).per_byte,
            m.wire(0, 1, Bytes(0)).per_byte);
  EXPECT_NEAR(GBps(m.wire(0, 255, Bytes(0)).per_byte), 5, 1e-9);
}

TEST(Flat, IsTheUniformNetworkBitForBit) {
  const Rank ranks = 1 << 24;
  const Machine m(load_platform("flat"), ranks);
  const AlphaBetaGamma abg{Seconds(1e-6), 1.0 / BytesPerSecond(12.5e9), 1.0 / BytesPerSecond(100e9)};
  const UniformNetwork u(abg, ranks);
  EXPECT_EQ(m.ports(), u.ports());
  EXPECT_EQ(m.protocol().hold, u.protocol().hold);
  EXPECT_EQ(m.protocol().eager_limit, u.protocol().eager_limit);
  EXPECT_EQ(m.protocol().handshake, u.protocol().handshake);
  EXPECT_EQ(m.gamma(ranks - 1), u.gamma(ranks - 1));
  for (Place from : {Place(0), Place(7), Place(ranks - 1, Memory::host)})
    for (Place to : {Place(0), Place(1), Place(ranks - 1)}) {
      const Wire a = m.wire(from, to, Bytes(0)), b = u.wire(from, to, Bytes(0));
      EXPECT_EQ(a.latency, b.latency);
      EXPECT_EQ(a.per_byte, b.per_byte);
      EXPECT_EQ(a.overhead, b.overhead);
      EXPECT_EQ(a.receive_overhead, b.receive_overhead);
      EXPECT_EQ(a.gap, b.gap);
      EXPECT_EQ(a.out, b.out);
      EXPECT_EQ(a.in, b.in);
    }
}

TEST(Flat, ItsWiresKnowTheProtocol) {
  Description d = load_platform("flat");
  set_all(d, {"protocol.hold=injection"});
  EXPECT_TRUE(Machine(d, 2).wire(0, 1, Bytes(1e9)).eager);
  set_all(d, {"protocol.eager_limit_KiB=64", "protocol.handshake_us=7"});
  const Machine m(d, 2);
  EXPECT_TRUE(m.wire(0, 1, Bytes(65536)).eager);
  EXPECT_FALSE(m.wire(0, 1, Bytes(65537)).eager);
  EXPECT_EQ(m.wire(0, 1, Bytes(65537)).handshake, Seconds(7e-6));
  EXPECT_EQ(m.sizes().size(), 2u);
}

TEST(Flat, RoutesAreThoseOfTheUniformFabric) {
  const Machine m(load_platform("flat"), 5);
  const UniformFabric u(AlphaBetaGamma{Seconds(1e-6), 1.0 / BytesPerSecond(12.5e9), {}}, 5);
  ASSERT_EQ(m.links().size(), u.links().size());
  for (std::size_t i = 0; i < u.links().size(); ++i)
    EXPECT_EQ(m.link_name(static_cast<LinkId>(i)), u.link_name(static_cast<LinkId>(i)));
  for (Rank a = 0; a < 5; ++a)
    for (Rank b = 0; b < 5; ++b) {
      std::vector<LinkId> mine, theirs;
      m.route(a, b, mine);
      u.route(a, b, theirs);
      EXPECT_EQ(mine, theirs);
    }
}

TEST(Machine, GammaIsAThirdOfTheMemoryBandwidthUnlessGiven) {
  const Machine m(load_platform("summit"), 6);
  EXPECT_NEAR(GBps(m.gamma(0)), 300, 1e-9);
  EXPECT_NEAR(GBps(m.gamma({0, Memory::host})), 10, 1e-9);
}

TEST(Machine, PlacementDecidesWhoSharesANode) {
  const Description d = load_platform("summit");
  const Machine block(d, 12), cyclic(d, 12, Placement::round_robin);
  EXPECT_EQ(block.node(5), 0);
  EXPECT_EQ(block.node(6), 1);
  EXPECT_EQ(cyclic.node(0), 0);
  EXPECT_EQ(cyclic.node(1), 1);
  // Ranks 0 and 2 are the first two of node 0.
  EXPECT_EQ(cyclic.port_name(cyclic.wire(0, 2, Bytes(0)).out), "node 0 gpu0 out to gpu1");
  EXPECT_EQ(parse_placement("round-robin").order, Placement::round_robin);
}

TEST(Machine, ANodeAloneHasNoPortsOfItsAdapters) {
  Json json = load_platform("dgx-a100").json();
  json["max_nodes"] = 1, json["network"] = {{"kind", "none"}};
  const Machine m({"x", "x.json", std::move(json)}, 8);
  for (const Link& l : m.links()) EXPECT_GT(l.bandwidth, BytesPerSecond(0));
  EXPECT_EQ(m.wire(0, 7, Bytes(0)).per_byte,
            Machine(load_platform("dgx-a100"), 8).wire(0, 7, Bytes(0)).per_byte);
}

/// edr-cluster with a second GPU on half as many lanes, of which each has a switch of its own.
Json two_gpus(bool switches_first) {
  Json json = load_platform("edr-cluster").json(), vertices;
  for (const char* gpu : {"gpu0", "gpu1"}) {
    const std::string own = std::string("switch-of-") + gpu;
    if (switches_first) vertices[own] = {{"kind", "switch"}};
    vertices[gpu] = {{"kind", "gpu"}, {"device", "V100-PCIe-16GB"}};
    vertices[own] = {{"kind", "switch"}};
  }
  for (const auto& [name, vertex] : json["node"]["vertices"].items()) vertices[name] = vertex;
  json["node"]["vertices"] = vertices;
  Json half = json["node"]["link_kinds"]["pcie3-x16"];
  half["bandwidth_GBps"]["value"] = half["bandwidth_GBps"]["value"].get<double>() / 2;
  half["bandwidth_GBps"].erase("low"), half["bandwidth_GBps"].erase("high");
  json["node"]["link_kinds"]["half"] = half;
  auto link = [](const char* a, const char* b, const char* kind) {
    return Json{{"between", {a, b}}, {"kind", kind}};
  };
  json["node"]["links"] = {
      link("gpu0", "switch-of-gpu0", "pcie3-x16"), link("gpu1", "switch-of-gpu1", "half"),
      link("switch-of-gpu0", "cpu0", "pcie3-x16"), link("switch-of-gpu1", "cpu0", "pcie3-x16"),
      link("cpu0", "nic0", "pcie3-x16"),           link("cpu0", "cpu0", "pcie3-x16")};
  json["node"]["ranks_on"] = {"gpu0", "gpu1"};
  json["node"]["ranks_per_node"] = 2;
  return json;
}

TEST(Machine, APortIsHeldAtItsOwnPaceWhereTheSenderIsSlower) {
  const Json json = two_gpus(false);
  const Machine m(Description("x", "x.json", json), 4);
  const Wire slow = m.wire(1, 2, Bytes(0)), fast = m.wire(0, 2, Bytes(0));
  EXPECT_GT(slow.per_byte, fast.per_byte);
  EXPECT_EQ(slow.occupation_in(Bytes(1)), fast.occupation_in(Bytes(1)));
}

TEST(Machine, EquallyNearAdaptersAreTakenInTurnByTheRanks) {
  for (const bool switches_first : {false, true}) {
    Json json = two_gpus(switches_first);
    json["max_nodes"] = 324;
    json["node"]["vertices"]["nic1"] = {{"kind", "nic"}};
    json["node"]["links"].push_back({{"between", {"cpu0", "nic1"}}, {"kind", "pcie3-x16"}});
    const Machine m(Description("x", "x.json", json), 4);
    EXPECT_EQ(m.port_name(m.wire(0, 2, Bytes(0)).out), "node 0 NIC 0 out");
    EXPECT_EQ(m.port_name(m.wire(1, 3, Bytes(0)).out), "node 0 NIC 1 out");
  }
}

TEST(Machine, MoreRanksPerNodeThanGpus) {
  Description d = load_platform("summit");
  EXPECT_EQ(complaint([&] { set(d, "node.ranks_per_node=12"); }),
            "summit: node.links: 2 ranks share the memory of gpu0: add a link between gpu0 and itself, for "
            "copies within it");
  Description local = load_platform("localhost");
  set(local, "node.ranks_per_node=4096");
  EXPECT_EQ(max_ranks(local), 4096);
}

TEST(Machine, KnowsItsParts) {
  // Racks of 18 nodes, line cards of 18 x 18 leaves, two of which a rack has.
  EXPECT_EQ(Machine(plain_summit(), 6).nodes_together(), (std::vector<std::int64_t>{18, 162}));
  EXPECT_EQ(Machine(dragonfly(12, 4, 3, 4, 2), 12).nodes_together(), (std::vector<std::int64_t>{2, 6}));
  const Machine m(load_platform("dgx-a100"), 16);
  EXPECT_EQ(m.exit_vertex(0), m.exit_vertex(1));
  EXPECT_NE(m.exit_vertex(1), m.exit_vertex(2));
  EXPECT_EQ(m.socket(0), m.socket(3));
  EXPECT_NE(m.socket(0), m.socket(4));
  EXPECT_NE(m.socket(0), m.socket(8));
}

/// Whoever is left out is reached by the way to another one, by more than half of it.
TEST(Machine, FarEndsStandForAllOtherRanks) {
  constexpr std::array device = {Memory::device};
  EXPECT_EQ(Machine(load_platform("summit"), 12).far_ends(device), (std::vector<Rank>{0, 3, 6, 9}));
  EXPECT_EQ(Machine(load_platform("flat"), 3).far_ends(device), (std::vector<Rank>{0, 1, 2}));
  EXPECT_LT(Machine(load_platform("frontier"), 512).far_ends(device).size(), 32u);  // of 4 switches
  testing::EachOrOneIn tried(3);
  for (const std::string& name : shipped_platforms()) {
    if (!tried()) continue;
    const Description d = load_platform(name);
    const Machine m(d, static_cast<Rank>(std::min<std::int64_t>(300, max_ranks(d))));
    const std::vector<Rank> ends = m.far_ends(device);
    const auto way = [&](Rank to) {
      std::vector<LinkId> links;
      m.route({0, Memory::device}, {to, Memory::device}, links);
      return links;
    };
    for (Rank r = 0; r < m.ranks(); ++r) {
      if (m.neighbourhood(r) == m.neighbourhood(0)) continue;
      const std::vector<LinkId> own = way(r);
      const auto stands = [&](Rank end) {
        const std::vector<LinkId> other = way(end);
        return m.neighbourhood(end) == m.neighbourhood(r) &&
               2 * (std::ranges::mismatch(own, other).in2 - other.begin()) >= std::ssize(other);
      };
      EXPECT_TRUE(std::ranges::any_of(ends, stands)) << name << ", rank " << r;
    }
  }
}

/// Of a port that is faster than a link of its switch, messages queue for the link by which they leave.
TEST(Machine, APortOfATorusFeedsItsLinksSideBySide) {
  const Machine m(torus(27, "3,3,3"), 27);
  const Bytes n(1e6);
  const auto wire = [&](Rank to) { return m.wire(0, to, n); };
  EXPECT_EQ(wire(1).out, wire(2).out);
  EXPECT_NE(wire(1).out_queue, wire(2).out_queue);  // up and down the first dimension
  EXPECT_NE(wire(1).out_queue, wire(3).out_queue);  // up the second
  EXPECT_EQ(wire(1).out_queue, wire(4).out_queue);  // first up the first
  EXPECT_LT(m.wire(26, 17, n).out_queue, m.queues());
  EXPECT_DOUBLE_EQ(wire(1).occupation(n).value, 1e6 / 9e9);
  EXPECT_DOUBLE_EQ(wire(1).occupation_out(n).value, 1e6 / 11.5e9);
  // Links as fast as the port: one message after the other.
  const Machine plain(rewired(27, {"kind=torus", "dimensions=3,3,3"}), 27);
  EXPECT_EQ(plain.wire(0, 1, n).out_queue, plain.wire(0, 2, n).out_queue);
  EXPECT_EQ(plain.wire(0, 1, n).spare_out, SecondsPerByte());
}

/// It may hold both its ends until delivery, but a rank queues behind its own messages only.
TEST(Machine, RanksThatShareAPortHaveTheirOwnQueuesOnTheCriticalPath) {
  for (const char* hold : {"injection", "delivery"}) {
    Description d = load_platform("summit");
    set(d, std::string("protocol.hold=") + hold);
    const Machine m(d, 12);
    const Wire a = m.wire(0, 6, Bytes(0)), b = m.wire(1, 7, Bytes(0));
    EXPECT_EQ(a.out, b.out);
    EXPECT_NE(a.out_queue, b.out_queue);
    EXPECT_LT(b.out_queue, m.queues());
  }
}

TEST(Machine, RefusesRanksThatDoNotFit) {
  const Description d = load_platform("summit");
  EXPECT_EQ(complaint([&] { Machine(d, 27649); }),
            "summit holds 27648 ranks (4608 nodes of 6), not 27649; --set max_nodes=4609 makes room");
  EXPECT_EQ(complaint([&] { Machine(d, 0); }), "a machine needs at least 1 rank, not 0");
  Description torus = load_platform("edr-cluster");
  set_all(torus, {"network.kind=torus", "network.dimensions=2,2,2", "max_nodes=8"});
  EXPECT_EQ(complaint([&] { Machine(torus, 9); }),
            "edr-cluster holds 8 ranks (8 nodes of 1), not 9; --set max_nodes=9 makes room, with a larger "
            "network.dimensions");
  const Machine m(d, 6);
  EXPECT_EQ(complaint([&] {
              m.wire({2, Memory::dpu}, 0, Bytes(0));
            }),
            "summit: the nodes have no dpu, so rank 2 has no dpu memory");
}

TEST(Machine, DpuIsAThirdMemory) {
  Json json = load_platform("edr-cluster").json();
  json["node"]["vertices"]["dpu0"] = {{"kind", "dpu"}, {"device", "Xeon-8180"}};
  json["node"]["links"].push_back({{"between", {"dpu0", "cpu0"}}, {"kind", "pcie3-x16"}});
  const Machine m(Description("x", "x.json", json), 2);
  EXPECT_NEAR(us(m.wire({0, Memory::host}, {0, Memory::dpu}, Bytes(0)).latency), 7.41 + 0.3, 1e-9);
  EXPECT_NEAR(GBps(m.wire({0, Memory::dpu}, {1, Memory::dpu}, Bytes(0)).per_byte), 11.5, 1e-9);
}

TEST(Machine, SlowestAndFastestPath) {
  const Description d = plain_summit();
  const AlphaBetaGamma slow = slowest_path(Machine(d, 27648)), fast = fastest_path(Machine(d, 27648));
  // In the node alpha is worst, across the X-bus: 12.69 + 5.56 us; between nodes beta is.
  EXPECT_NEAR(us(slow.alpha), 18.25, 1e-9);
  EXPECT_NEAR(GBps(slow.beta), 11.5, 1e-9);
  EXPECT_NEAR(us(fast.alpha), 6.04, 1e-9);
  EXPECT_NEAR(GBps(fast.beta), 50, 1e-9);
  EXPECT_NEAR(us(slowest_path(Machine(d, 3)).alpha), 17.25, 1e-9);
  EXPECT_EQ(slowest_path(Machine(d, 1)).alpha, Seconds());
}

TEST(Machine, SlowestPathIsThatOfAllPairs) {
  for (const char* name : {"summit", "edr-cluster"})
    for (const Placement placement : {Placement::block, Placement::round_robin, Placement::by_socket})
      for (Rank ranks : {2, 5, 7, 13, 110, 400}) {
        const Machine m(load_platform(name), ranks, placement);
        for (Memory memory : {Memory::device, Memory::host}) {
          Seconds worst, best(1);
          for (Rank a = 0; a < ranks; ++a)
            for (Rank b = 0; b < ranks; ++b) {
              if (a == b) continue;
              const Wire w = m.wire({a, memory}, {b, memory}, Bytes(0));
              worst = std::max(worst, w.overhead + w.latency + w.receive_overhead);
              best = std::min(best, w.overhead + w.latency + w.receive_overhead);
            }
          EXPECT_EQ(slowest_path(m, memory).alpha, worst) << name << " " << ranks;
          EXPECT_EQ(fastest_path(m, memory).alpha, best) << name << " " << ranks;
        }
      }
}

}  // namespace
}  // namespace collcast
