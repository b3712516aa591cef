// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "support.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;

/// Every rank to some others, near and far.
template <class Check>
void for_pairs(Rank ranks, Check&& check) {
  for (Rank a = 0; a < ranks; a += std::max(1, ranks / 97))
    for (Rank b = 0; b < ranks; b += std::max(1, ranks / 89))
      check(a, b), check(a, std::min(b + 1, ranks - 1));
}

/// The shipped platforms, and small networks of every kind.
std::vector<Description> all_platforms() {
  std::vector<Description> all = networks(), valiant = valiant_networks();
  all.insert(all.end(), valiant.begin(), valiant.end());
  for (const Description& d : adaptive_networks()) all.push_back(d);
  for (const Description& d : shipped_and_small()) all.push_back(d);
  return all;
}

TEST(Routes, SlowestLinkIsTheWiresPace) {
  testing::EachOrOneIn tried(3);
  for (const Description& d : all_platforms()) {
    if (!tried()) continue;
    const std::string& name = d.name();
    const Machine m(without_software(d), std::min(capped_ranks(d), 6000));
    for_pairs(m.ranks(), [&](Rank a, Rank b) {
      for (Memory from : {Memory::device, Memory::host})
        for (Memory to : {Memory::device, Memory::host}) {
          const Wire w = m.wire({a, from}, {b, to}, Bytes(0));
          std::vector<LinkId> route;
          m.route({a, from}, {b, to}, route);
          SecondsPerByte slowest;
          for (LinkId l : route) slowest = std::max(slowest, 1.0 / m.links().at(l).bandwidth);
          ASSERT_EQ(w.per_byte, slowest) << name << " " << a << " " << b;
          ASSERT_EQ(std::set<LinkId>(route.begin(), route.end()).size(), route.size());
          ASSERT_LT(w.out, m.ports());
          ASSERT_LT(w.in, m.ports());
          ASSERT_NE(w.out, w.in);
        }
    });
  }
}

TEST(Routes, PassAsManySwitchesAsTheLatencySays) {
  const Machine m(plain_summit(), 27648);
  for_pairs(m.ranks(), [&](Rank a, Rank b) {
    if (m.node(a) == m.node(b)) return;
    std::vector<LinkId> route;
    m.route(a, b, route);
    int switches = 1;
    for (LinkId l : route)
      switches += m.link_name(l).find("TOR") == 0 || m.link_name(l).find("director") == 0;
    const double ends = 2 * (0.8 + 0.1 + 0.15) + 0.67;
    ASSERT_NEAR(us(m.wire(a, b, Bytes(0)).latency), ends + switches * 0.09, 1e-9) << a << " " << b;
  });
}

/// Summit's GPUs 0 and 1: the way back leads by their processor, until it has a link of its own.
TEST(Routes, OneWayLinksLeadOneWay) {
  const auto names = [](const Description& d, Rank from, Rank to) {
    const Machine m(d, 6);
    std::vector<LinkId> route;
    m.route(from, to, route);
    std::vector<std::string> all;
    for (const LinkId l : route) all.push_back(m.link_name(l));
    return all;
  };
  using Names = std::vector<std::string>;
  const Description one = edited("summit", "/node/links/0/ways", 1);
  EXPECT_EQ(names(one, 0, 1), Names{"node 0 gpu0 to gpu1"});
  EXPECT_EQ(names(one, 1, 0), (Names{"node 0 gpu1 to cpu0", "node 0 cpu0 to gpu0"}));
  Json json = one.json();
  json["node"]["links"].push_back({{"between", {"gpu1", "gpu0"}}, {"kind", "nvlink2"}, {"ways", 1}});
  EXPECT_EQ(names({"x", "x.json", std::move(json)}, 1, 0), Names{"node 0 gpu1 to gpu0"});
}

/// "leaf 3 up 2" -> {3, 2}.
std::pair<int, int> switch_and_port(const std::string& name) {
  const std::size_t way = name.find_last_of("pn", name.size() - 1) + 2;
  const std::size_t end = name.rfind(name[way - 2] == 'p' ? " up" : " down");
  return {std::stoi(name.substr(name.rfind(' ', end - 1) + 1)), std::stoi(name.substr(way))};
}

TEST(Routes, OfATreeClimbAndDescendThroughTheSameSwitches) {
  Description summit = load_platform("summit");
  for (const std::string routing : {"d-mod-k", "ecmp"}) {
    set(summit, "network.routing=" + routing);
    const Machine m(summit, 27648);
    // The parent of a switch by port, written out for 18 up everywhere: a TOR's line cards are the 18 of its
    // subtree, a line card's spines those that carry its number and the port.
    auto parent = [](int level, std::pair<int, int> link) {
      return level == 1 ? link.first / 18 * 18 + link.second : link.first % 18 + 18 * link.second;
    };
    for_pairs(m.ranks(), [&](Rank a, Rank b) {
      if (m.node(a) == m.node(b)) return;
      std::vector<LinkId> route;
      m.route(a, b, route);
      std::vector<std::string> names;
      for (LinkId l : route)
        if (const std::string n = m.link_name(l); n.find("node") != 0) names.push_back(n);
      ASSERT_EQ(names.size() % 2, 0u);
      const std::size_t top = names.size() / 2;
      for (std::size_t l = 0; l < top; ++l) {
        const auto up = switch_and_port(names[l]), down = switch_and_port(names[names.size() - 1 - l]);
        const int level = static_cast<int>(l) + 1;
        if (l == 0) {
          ASSERT_EQ(up.first, m.node(a) / 18 * 2 + (a % 6 >= 3));
          ASSERT_EQ(down.first, m.node(b) / 18 * 2 + (b % 6 >= 3));
        }
        if (l + 1 < top) {
          ASSERT_EQ(parent(level, up), switch_and_port(names[l + 1]).first);
          ASSERT_EQ(parent(level, down), switch_and_port(names[names.size() - 2 - l]).first);
        } else {
          ASSERT_EQ(parent(level, up), parent(level, down));
        }
      }
    });
  }
}

/// How many messages the busiest link carries when every node of edr-cluster sends to the one `shift` further
/// on.
int busiest(const Machine& m, int shift) {
  std::vector<int> carried(m.links().size());
  std::vector<LinkId> route;
  for (Rank r = 0; r < m.ranks(); ++r) m.route(r, (r + shift) % m.ranks(), route);
  for (LinkId l : route) ++carried[l];
  return std::ranges::max(carried);
}

TEST(Routes, ShiftsDoNotMeetInANonBlockingTree) {
  const Machine m(load_platform("edr-cluster"), 648);
  for (int shift = 1; shift < 648; ++shift) EXPECT_EQ(busiest(m, shift), 1) << shift;
}

TEST(Routes, OfEcmpMeetByChanceAndRepeatBySeed) {
  Description d = load_platform("edr-cluster");
  set(d, "network.routing=ecmp");
  const Machine m(d, 648), again(d, 648);
  set(d, "network.routing_seed=7");
  const Machine other(d, 648);
  int differ = 0;
  for (int shift = 18; shift < 648; shift += 18) {
    // 18 of 18 in a row find 18 ways with a chance of 18! / 18^18; more than 8 on one is as unlikely.
    EXPECT_GT(busiest(m, shift), 1);
    EXPECT_LT(busiest(m, shift), 9);
    std::vector<LinkId> one, two, three;
    m.route(1, shift, one);
    again.route(1, shift, two);
    other.route(1, shift, three);
    EXPECT_EQ(one, two);
    differ += one != three;
  }
  EXPECT_GT(differ, 20);  // of 35; each keeps its way with a chance of 1 / 18
}

TEST(Routes, NamesOfLinksAndPortsAreUnique) {
  for (const Description& d : all_platforms()) {
    const Machine m(d, std::min(capped_ranks(d), 600));
    std::set<std::string> names;
    for (LinkId l = 0; l < m.links().size(); ++l)
      EXPECT_TRUE(names.insert(m.link_name(l)).second) << m.link_name(l);
    names.clear();
    for (Port p = 0; p < m.ports(); ++p) EXPECT_TRUE(names.insert(m.port_name(p)).second) << m.port_name(p);
  }
}

TEST(Routes, LinksGrowWithTheRanksOnly) {
  const Description d = load_platform("summit");
  const std::size_t small = Machine(d, 2700).links().size(), large = Machine(d, 27000).links().size();
  EXPECT_LT(static_cast<double>(large), 10.1 * static_cast<double>(small));
}

}  // namespace
}  // namespace collcast
