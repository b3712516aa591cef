// SPDX-License-Identifier: Apache-2.0
// Torus, dragonfly and hashed ways up a tree: routes by hand, and as laws over networks of many shapes.
#include <map>
#include <queue>
#include <set>

#include "platforms/machine/paths.hpp"
#include "support.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

using namespace testing;

using Names = std::vector<std::string>;

/// The links between switches on the way from node to node; a rank sits on each.
Names route(const Machine& m, Rank from, Rank to) {
  std::vector<LinkId> links;
  m.route(from, to, links);
  Names names;
  for (LinkId l : links)
    if (const std::string name = m.link_name(l); !name.starts_with("node")) names.push_back(name);
  return names;
}

std::size_t links_between_switches(const Machine& m) {
  std::size_t links = 0;
  for (LinkId l = 0; l < m.links().size(); ++l) links += !m.link_name(l).starts_with("node");
  return links;
}

TEST(Torus, RoutesOf3x3) {
  const Machine m(torus(9, "3,3"), 9);
  // Node 3 y + x is at (x,y): first along x, then along y, the shorter way round.
  EXPECT_EQ(route(m, 0, 1), (Names{"switch (0,0) to (1,0)"}));
  EXPECT_EQ(route(m, 0, 4), (Names{"switch (0,0) to (1,0)", "switch (1,0) to (1,1)"}));
  EXPECT_EQ(route(m, 4, 0), (Names{"switch (1,1) to (0,1)", "switch (0,1) to (0,0)"}));
  EXPECT_EQ(route(m, 0, 8), (Names{"switch (0,0) to (2,0)", "switch (2,0) to (2,2)"}));
  EXPECT_EQ(route(m, 5, 3), (Names{"switch (2,1) to (0,1)"}));
  EXPECT_EQ(links_between_switches(m), 9u * 4);
}

TEST(Torus, HalfWayRoundBothWaysCarryAsMuch) {
  const Machine m(torus(4, "4"), 4);
  EXPECT_EQ(route(m, 0, 2), (Names{"switch (0) to (1)", "switch (1) to (2)"}));
  EXPECT_EQ(route(m, 1, 3), (Names{"switch (1) to (0)", "switch (0) to (3)"}));
  std::map<std::string, int> carried;
  for (Rank r = 0; r < 4; ++r)
    for (const std::string& link : route(m, r, (r + 2) % 4)) ++carried[link];
  EXPECT_EQ(carried.size(), 8u);
  for (const auto& [link, messages] : carried) EXPECT_EQ(messages, 1) << link;
}

TEST(Torus, LinksOfShortDimensions) {
  EXPECT_EQ(links_between_switches(Machine(torus(8, "2,2,2"), 8)), 8u * 3);
  EXPECT_EQ(links_between_switches(Machine(torus(8, "4,2,1"), 8)), 8u * (2 + 1));
}

/// Between nodes of the first two rows of five, either way round, no route leaves these.
TEST(Torus, OnlyWhatRoutesCrossHasLinks) {
  const Machine m(torus(60, "3,5,4"), 7);
  EXPECT_EQ(links_between_switches(m), 15u * 6);
  for (Rank a = 0; a < 7; ++a)
    for (Rank b = 0; b < 7; ++b) {
      std::vector<LinkId> links;
      m.route(a, b, links);
      for (const LinkId l : links) EXPECT_LT(l, m.links().size());
    }
  Description drawn = torus(60, "3,5,4");
  set(drawn, "network.routing=valiant");
  EXPECT_EQ(links_between_switches(Machine(drawn, 7)), 60u * 6);
}

TEST(Torus, Latencies) {
  const Machine m(torus(64, "8,8"), 64);
  const Wire neighbour = m.wire(0, 1, Bytes(0)), far = m.wire(0, 4 + 8 * 4, Bytes(0));
  // As in TEST(EdrCluster, Wires): the ends, and 0.09 us at each of the switches: 2, and 4 + 4 + 1.
  const double ends = 2 * (0.3 + 0.3 + 0.15) + 0.67;
  EXPECT_NEAR(us(neighbour.latency), ends + 2 * 0.09, 1e-9);
  EXPECT_NEAR(us(far.latency), ends + 9 * 0.09, 1e-9);
  EXPECT_NEAR(GBps(far.per_byte), 9, 1e-9);
  // Two nodes on a switch do not use its links.
  EXPECT_NEAR(GBps(Machine(torus(16, "8", 2), 16).wire(0, 1, Bytes(0)).per_byte), 11.5, 1e-9);
}

TEST(Dragonfly, RoutesOfThreeGroupsOfTwo) {
  const Machine m(dragonfly(6, 3, 2), 6);
  // Node 2 g + s is at switch s of group g, whose link to the lower of the other groups is on its switch 0.
  EXPECT_EQ(route(m, 0, 1), (Names{"group 0 switch 0 to group 0 switch 1"}));
  EXPECT_EQ(route(m, 0, 2), (Names{"group 0 switch 0 to group 1 switch 0"}));
  EXPECT_EQ(route(m, 1, 4), (Names{"group 0 switch 1 to group 2 switch 0"}));
  EXPECT_EQ(route(m, 3, 5), (Names{"group 1 switch 1 to group 2 switch 1"}));
  EXPECT_EQ(route(m, 0, 4),
            (Names{"group 0 switch 0 to group 0 switch 1", "group 0 switch 1 to group 2 switch 0"}));
  EXPECT_EQ(route(m, 0, 5),
            (Names{"group 0 switch 0 to group 0 switch 1", "group 0 switch 1 to group 2 switch 0",
                   "group 2 switch 0 to group 2 switch 1"}));
  // One each way between two switches of a group, and between two groups.
  EXPECT_EQ(links_between_switches(m), 3u * 2 * 1 + 3u * 2);
}

TEST(Dragonfly, TwoLinksBetweenGroups) {
  const Machine m(dragonfly(6, 3, 2, 2), 6);
  // A group's switch 0 has the first links to both others, switch 1 the second ones.
  EXPECT_EQ(route(m, 0, 4), (Names{"group 0 switch 0 to group 2 switch 0 cable 0"}));
  EXPECT_EQ(route(m, 1, 5), (Names{"group 0 switch 1 to group 2 switch 1 cable 1"}));
  // From 0 to 1 both are as short: the switches' numbers add up to 1.
  EXPECT_EQ(route(m, 0, 5),
            (Names{"group 0 switch 0 to group 0 switch 1", "group 0 switch 1 to group 2 switch 1 cable 1"}));
  EXPECT_EQ(links_between_switches(m), 6u + 12);
}

TEST(Dragonfly, Latencies) {
  const Machine m(dragonfly(6, 3, 2), 6);
  const double ends = 2 * (0.3 + 0.3 + 0.15) + 0.67;
  EXPECT_NEAR(us(m.wire(0, 1, Bytes(0)).latency), ends + 2 * 0.09, 1e-9);
  EXPECT_NEAR(us(m.wire(0, 2, Bytes(0)).latency), ends + 2 * 0.09 + 0.2, 1e-9);
  EXPECT_NEAR(us(m.wire(0, 5, Bytes(0)).latency), ends + 4 * 0.09 + 0.2, 1e-9);
  EXPECT_NEAR(GBps(m.wire(0, 1, Bytes(0)).per_byte), 10, 1e-9);
  EXPECT_NEAR(GBps(m.wire(0, 5, Bytes(0)).per_byte), 8, 1e-9);
}

TEST(Dragonfly, PortsOfANodeOnSwitchesOfTheirOwn) {
  // Frontier: nodes 0 to 15 share the first four switches of a group, each of them has a port on each.
  Description frontier = load_platform("frontier");
  set(frontier, "network.routing=minimal");
  const Machine m(frontier, 8 * 144);
  EXPECT_EQ(route(m, 0, 8), Names());                                              // both at switch 0
  EXPECT_EQ(route(m, 0, 8 + 7), (Names{"group 0 switch 0 to group 0 switch 3"}));  // adapters 0 and 3
  EXPECT_EQ(route(m, 2, 16 * 8 + 5), (Names{"group 0 switch 1 to group 0 switch 6"}));
  EXPECT_EQ(route(m, 0, 128 * 8), (Names{"group 0 switch 0 to group 1 switch 0 cable 0"}));
}

TEST(Valiant, GoesByTheOnlyOtherGroup) {
  Description d = dragonfly(6, 3, 2);
  set(d, "network.routing=valiant");
  const Machine m(d, 6);
  EXPECT_EQ(route(m, 0, 1), (Names{"group 0 switch 0 to group 0 switch 1"}));  // within a group: minimal
  // Of the links as in RoutesOfThreeGroupsOfTwo, those by way of group 1.
  EXPECT_EQ(route(m, 0, 5),
            (Names{"group 0 switch 0 to group 1 switch 0", "group 1 switch 0 to group 1 switch 1",
                   "group 1 switch 1 to group 2 switch 1"}));
  EXPECT_EQ(route(m, 1, 4),
            (Names{"group 0 switch 1 to group 0 switch 0", "group 0 switch 0 to group 1 switch 0",
                   "group 1 switch 0 to group 1 switch 1", "group 1 switch 1 to group 2 switch 1",
                   "group 2 switch 1 to group 2 switch 0"}));
  const double ends = 2 * (0.3 + 0.3 + 0.15) + 0.67;
  EXPECT_NEAR(us(m.wire(1, 4, Bytes(0)).latency), ends + 6 * 0.09 + 2 * 0.2, 1e-9);
}

TEST(Valiant, TurnsAtADrawnSwitchOfATorus) {
  Description d = torus(9, "3,3");
  const auto from_0 = [&d](Rank to) { return route(Machine(d, 9), 0, to); };
  set(d, "network.routing=valiant");
  // m(m(m(1) ^ 0) ^ to) mod 9, m being SplitMix64: 0x6c5795e14b3b7e33 to 1, which is 4 mod 9, (1,1);
  // 0x7d3213b27857bfc1 to 4, 3 mod 9, (0,1); 0x22c738ac89b32dae to 5, 0 mod 9, where it is already.
  EXPECT_EQ(from_0(1), (Names{"switch (0,0) to (1,0)", "switch (1,0) to (1,1)", "switch (1,1) to (1,0)"}));
  EXPECT_EQ(from_0(4), (Names{"switch (0,0) to (0,1)", "switch (0,1) to (1,1)"}));
  EXPECT_EQ(from_0(5), (Names{"switch (0,0) to (2,0)", "switch (2,0) to (2,1)"}));
  set(d, "network.routing_seed=2");
  EXPECT_EQ(from_0(4), (Names{"switch (0,0) to (1,0)", "switch (1,0) to (1,1)"}));
}

/// How many messages the busiest link carries when every node sends to the one `shift` further on.
int busiest(const Description& d, int shift) {
  const Machine m(d, static_cast<Rank>(max_ranks(d)));
  std::map<std::string, int> carried;
  for (Rank r = 0; r < m.ranks(); ++r)
    for (const std::string& link : route(m, r, (r + shift) % m.ranks())) ++carried[link];
  int most = 0;
  for (const auto& [link, messages] : carried) most = std::max(most, messages);
  return most;
}

TEST(Valiant, SpreadsWhatOneLinkWouldCarry) {
  // 32 nodes on 8 switches send to the next group: by the one link, or by 31 other groups.
  Description groups = dragonfly(1056, 33, 8, 1, 4);
  EXPECT_EQ(busiest(groups, 32), 32);
  set(groups, "network.routing=valiant");
  EXPECT_LE(busiest(groups, 32), 16);
}

/// The pace of a link in GB/s.
double pace(const Machine& m, const std::string& name) {
  for (LinkId l = 0; l < m.links().size(); ++l)
    if (m.link_name(l) == name) return m.links()[l].bandwidth.value / 1e9;
  ADD_FAILURE() << "no link " << name;
  return 0;
}

/// Three groups of two switches, of a node each: a switch's one link in its group, of 10 GB/s, and its
/// group's two to others, of 8 GB/s each.
TEST(Adaptive, LinksToWhereTheyLeadAreOne) {
  Description d = dragonfly(6, 3, 2);
  set(d, "network.routing=adaptive");
  const Machine m(d, 6);
  EXPECT_EQ(route(m, 0, 1), (Names{"group 0 switch 0 to its group", "its group to group 0 switch 1"}));
  EXPECT_EQ(route(m, 0, 5), (Names{"group 0 switch 0 to its group", "group 0 to other groups",
                                   "other groups to group 2", "its group to group 2 switch 1"}));
  EXPECT_EQ(pace(m, "its group to group 2 switch 1"), 10);
  EXPECT_EQ(pace(m, "group 0 to other groups"), 16);
  const double ends = 2 * (0.3 + 0.3 + 0.15) + 0.67;
  EXPECT_NEAR(us(m.wire(0, 1, Bytes(0)).latency), ends + 2 * 0.09, 1e-9);
  EXPECT_NEAR(us(m.wire(0, 5, Bytes(0)).latency), ends + 4 * 0.09 + 0.2, 1e-9);
}

TEST(Adaptive, ChassisHaveLinksOfTheirOwn) {
  Description d = dragonfly(4, 1, 4);
  set_all(d, {"network.chassis_per_group=2", "network.chassis_bandwidth_GBps=6", "network.routing=adaptive"});
  const Machine m(d, 4);
  EXPECT_EQ(route(m, 0, 1), (Names{"group 0 switch 0 to its group", "its group to group 0 switch 1"}));
  EXPECT_EQ(route(m, 0, 2),
            (Names{"group 0 switch 0 to other chassis", "other chassis to group 0 switch 2"}));
  EXPECT_EQ(route(m, 0, 3), (Names{"group 0 switch 0 to its group", "group 0 switch 0 to other chassis",
                                   "other chassis to group 0 switch 3", "its group to group 0 switch 3"}));
  EXPECT_NEAR(GBps(m.wire(0, 3, Bytes(0)).per_byte), 6, 1e-9);
}

/// 32 switches of two nodes, which send to the switch after their own: by one link, or by all 31.
TEST(Adaptive, SpreadsWhatOneLinkWouldCarry) {
  Description d = dragonfly(64, 1, 32, 1, 2);
  const double alone = pace(Machine(d, 64), "group 0 switch 0 to group 0 switch 1");
  EXPECT_EQ(busiest(d, 2), 2);
  set(d, "network.routing=adaptive");
  EXPECT_EQ(busiest(d, 2), 2);
  EXPECT_NEAR(pace(Machine(d, 64), "group 0 switch 0 to its group"), 31 * alone, 1e-9);
}

TEST(FatTree, DModKAndEcmp) {
  // Four leaves of two nodes, two ways up from each.
  Json json = rewired(8, {}).json();
  json["network"]["levels"] =
      Json::parse(R"([{"name": "leaf", "down": 2, "up": 2}, {"name": "spine", "down": 4}])");
  const auto ports = [&json](Rank from) {
    const Machine m(Description("x", "x.json", json), 8);
    std::string all;
    for (Rank to = 2; to < 8; ++to) {
      const Names names = route(m, from, to);
      EXPECT_EQ(names.size(), 2u);
      EXPECT_EQ(names[0].substr(0, 10), "leaf 0 up ");
      EXPECT_EQ(names[1].substr(0, 12), "leaf " + std::to_string(to / 2) + " down ");
      EXPECT_EQ(names[0].back(), names[1].back());
      all += names[0].back();
    }
    return all;
  };
  EXPECT_EQ(ports(0), "010101");  // the destination's number mod 2
  EXPECT_EQ(ports(1), "010101");
  // m(m(m(1) ^ source) ^ destination) mod 2, m being SplitMix64: 0x1cf38a51a82265f3 from 0 to 2,
  // 0x449356e76b1ec655 from 1 to 2...
  json["network"]["routing"] = "ecmp";
  EXPECT_EQ(ports(0), "101011");
  EXPECT_EQ(ports(1), "100100");
  json["network"]["routing_seed"] = 2;
  EXPECT_EQ(ports(0), "011111");
  EXPECT_EQ(ports(1), "001111");
}

/// "switch (0,1) to (1,1)" -> {"(0,1)", "(1,1)"}.
std::pair<std::string, std::string> ends(std::string name) {
  if (name.starts_with("switch ")) name.erase(0, 7);
  name = name.substr(0, name.find(" cable"));
  const std::size_t to = name.find(" to ");
  return {name.substr(0, to), name.substr(to + 4)};
}

bool between_groups(const std::pair<std::string, std::string>& link) {
  const auto group = [](const std::string& s) { return s.substr(0, s.find(" switch")); };
  return link.first.starts_with("group") && group(link.first) != group(link.second);
}

/// The fewest links from a switch to every other, over one link between groups at most.
std::map<std::string, int> distances(const Machine& m, const std::string& from) {
  std::map<std::string, std::vector<std::pair<std::string, bool>>> links;
  for (LinkId l = 0; l < m.links().size(); ++l)
    if (const std::string name = m.link_name(l); !name.starts_with("node"))
      links[ends(name).first].push_back({ends(name).second, between_groups(ends(name))});
  std::map<std::pair<std::string, bool>, int> far = {{{from, false}, 0}};
  std::queue<std::pair<std::string, bool>> open({{from, false}});
  for (; !open.empty(); open.pop()) {
    const auto at = open.front();
    for (const auto& [to, over] : links[at.first])
      if (!(over && at.second) && far.try_emplace({to, over || at.second}, far[at] + 1).second)
        open.push({to, over || at.second});
  }
  std::map<std::string, int> least;
  for (const auto& [at, d] : far) {
    const auto [known, first] = least.try_emplace(at.first, d);
    if (!first) known->second = std::min(known->second, d);
  }
  return least;
}

/// All of them, by minimal and by Valiant's routes.
std::vector<Description> routed_both_ways() {
  std::vector<Description> all = networks(), valiant = valiant_networks();
  all.insert(all.end(), valiant.begin(), valiant.end());
  return all;
}

TEST(Networks, RoutesConnectAndMinimalOnesAreShortest) {
  for (const Description& d : routed_both_ways()) {
    const Machine m(d, capped_ranks(d));
    const auto per_switch = d.json()["network"].value("nodes_per_switch", 1);
    std::map<Rank, std::string> at;  // where a route leaves or arrives
    for (Rank a = 0; a < m.ranks(); ++a)
      for (Rank b = 0; b < m.ranks(); ++b)
        if (const Names r = route(m, a, b); !r.empty()) {
          EXPECT_EQ(at.try_emplace(a / per_switch, ends(r.front()).first).first->second,
                    ends(r.front()).first);
          EXPECT_EQ(at.try_emplace(b / per_switch, ends(r.back()).second).first->second,
                    ends(r.back()).second);
          for (std::size_t i = 1; i < r.size(); ++i) EXPECT_EQ(ends(r[i - 1]).second, ends(r[i]).first);
        } else {
          EXPECT_EQ(a / per_switch, b / per_switch);
        }
    const Json& n = d.json()["network"];
    if (n.value("routing", "") == "valiant") continue;
    for (const auto& [s, name] : at) {
      const auto distance = distances(m, name);
      for (const auto& [t, other] : at) {
        const Names there = route(m, s * per_switch, t * per_switch),
                    back = route(m, t * per_switch, s * per_switch);
        EXPECT_EQ(static_cast<int>(there.size()), distance.at(other)) << n << name << other;
        EXPECT_EQ(there.size(), back.size());
        if (n["kind"] == "torus")
          continue;  // correct coordinates in one order, which is not that of the way back
        for (std::size_t i = 0; i < there.size(); ++i) {
          const auto [from, to] = ends(there[i]);
          EXPECT_EQ(std::pair(to, from), ends(back[back.size() - 1 - i])) << n;
        }
      }
    }
  }
}

TEST(Networks, LatencyCountsTheSwitches) {
  for (const Description& d : routed_both_ways()) {
    const Machine m(d, capped_ranks(d));
    for (Rank a = 0; a < m.ranks(); ++a)
      for (Rank b = 0; b < m.ranks(); ++b) {
        if (a == b) continue;
        const Names r = route(m, a, b);
        const auto global = std::ranges::count_if(r, [](const auto& l) { return between_groups(ends(l)); });
        const double expected = 2 * (0.3 + 0.3 + 0.15) + 0.67 + 0.09 * static_cast<double>(r.size() + 1) +
                                0.2 * static_cast<double>(global);
        EXPECT_NEAR(us(m.wire(a, b, Bytes(0)).latency), expected, 1e-9);
      }
  }
}

TEST(Networks, RepresentativesMeetEveryLatencyAlsoOfSomeNodes) {
  std::vector<Description> all_routings = routed_both_ways();
  for (const Description& d : adaptive_networks()) all_routings.push_back(d);
  for (const Description& d : all_routings)
    for (Rank ranks = 2; ranks <= capped_ranks(d); ++ranks) {
      const Machine m(d, ranks);
      std::set<double> all, met;
      for (Rank a = 0; a < ranks; ++a)
        for (Rank b = 0; b < ranks; ++b)
          if (a != b) all.insert(m.wire(a, b, Bytes(0)).latency.value);
      for (Rank a : m.representatives())
        for (Rank b : m.representatives())
          if (a != b) met.insert(m.wire(a, b, Bytes(0)).latency.value);
      EXPECT_EQ(all, met) << d.json()["network"] << " " << ranks;
    }
}

TEST(Networks, OfManyNodes) {
  // As large as Fugaku, 24 x 23 x 24 x 2 x 3 x 2.
  const Machine tofu(torus(158976, "24,23,24,2,3,2"), 158976);
  EXPECT_NEAR(us(tofu.wire(0, 158975, Bytes(0)).latency - tofu.wire(0, 1, Bytes(0)).latency), 5 * 0.09, 1e-9);
  const Description large_one =
      rewired(40960, {"kind=dragonfly", "groups=80", "switches_per_group=32", "nodes_per_switch=16",
                      "links_between_groups=4", "switch_ports=64", "global_latency_us=0.2"});
  const Machine large(large_one, 40960);
  EXPECT_EQ(links_between_switches(large), 80u * 32 * 31 + 80u * 79 * 4);
  // The ends, four switches, the cable between groups, and both overheads.
  EXPECT_NEAR(us(slowest_path(large).alpha), 2 * (0.3 + 0.3 + 0.15) + 0.67 + 4 * 0.09 + 0.2 + 3.18, 1e-9);
}

}  // namespace
}  // namespace collcast
