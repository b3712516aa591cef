// SPDX-License-Identifier: Apache-2.0
// Max-min shares: by hand, and against a reference that fills all links from nothing.
#include "engines/contention/sharing.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "engines/contention/shared_flows.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

constexpr double no_cap = std::numeric_limits<double>::infinity();

std::vector<Link> links(const std::vector<double>& bandwidths) {
  std::vector<Link> all;
  for (const double b : bandwidths) all.push_back({BytesPerSecond(b)});
  return all;
}

struct TestFlow {
  std::vector<LinkId> route;
  double cap = no_cap;
};

void add(Sharing& sharing, Index id, const TestFlow& flow) {
  sharing.add(id, flow.route, BytesPerSecond(flow.cap));
}

TEST(Sharing, ByHand) {
  // The classic: one flow over both links, one on each. Link 1 of 1 gives 0.5 each; link 0 of 2 the rest.
  Sharing sharing(links({2, 1}));
  add(sharing, 0, {{0, 1}});
  add(sharing, 1, {{0}});
  add(sharing, 2, {{1}});
  EXPECT_EQ(sharing.solve().size(), 3u);
  EXPECT_EQ(sharing.rate(0).value, 0.5);
  EXPECT_EQ(sharing.rate(1).value, 1.5);
  EXPECT_EQ(sharing.rate(2).value, 0.5);
  // Without flow 2 link 1 gives 1 to flow 0, and link 0 as much to flow 1.
  sharing.remove(2);
  EXPECT_EQ(sharing.solve().size(), 2u);
  EXPECT_EQ(sharing.rate(0).value, 1);
  EXPECT_EQ(sharing.rate(1).value, 1);
  // Then both links are full at the rates of their flows: the first on the route is named.
  EXPECT_EQ(sharing.held_by(0), 0);
  EXPECT_EQ(sharing.held_by(1), 0);
  // A flow of at most 0.25 takes that from flow 0; flow 1 gets what flow 0 leaves.
  add(sharing, 3, {{1}, 0.25});
  sharing.solve();
  EXPECT_EQ(sharing.rate(0).value, 0.75);
  EXPECT_EQ(sharing.rate(1).value, 1.25);
  EXPECT_EQ(sharing.rate(3).value, 0.25);
}

/// Flow 0 shares link 1 with flow 1 until 6 and loses 3 s there; until 8 it shares link 0 with flow 2 and
/// loses 1 s. It has 8 bytes left then, and ends alone at 16.
TEST(SharedFlows, NameTheLinkThatCostMost) {
  const std::vector<Link> two = links({1, 1});
  const std::vector<LinkId> both = {0, 1}, first = {0}, second = {1};
  const BytesPerSecond own(no_cap);
  const Seconds never(no_cap);
  for (const bool explained : {true, false}) {
    SharedFlows flows(two, explained);
    flows.start(0, both, Bytes(12), own);
    flows.start(1, second, Bytes(3), own);
    EXPECT_THAT(flows.advance(never), ::testing::ElementsAre(1));
    EXPECT_EQ(flows.held_by(1), explained ? 1 : no_link);
    flows.start(2, first, Bytes(1), own);
    EXPECT_THAT(flows.advance(never), ::testing::ElementsAre(2));
    EXPECT_EQ(flows.held_by(2), explained ? 0 : no_link);
    EXPECT_THAT(flows.advance(never), ::testing::ElementsAre(0));
    EXPECT_EQ(flows.now(), Seconds(16));
    EXPECT_EQ(flows.held_by(0), explained ? 1 : no_link);
    flows.start(0, first, Bytes(1), own);  // alone it loses nothing
    flows.advance(never);
    EXPECT_EQ(flows.held_by(0), no_link);
  }
}

/// Flow 0 loses 0.1 s three times on link 0, then 0.3 s on link 1, which rounding must not make more.
TEST(SharedFlows, OfLinksThatCostTheSameTheFirstIsNamed) {
  const std::vector<Link> two = links({1, 1});
  const std::vector<LinkId> both = {0, 1}, first = {0}, second = {1};
  const BytesPerSecond own(no_cap);
  SharedFlows flows(two, true);
  flows.start(0, both, Bytes(1.3), own);
  for (const auto& [route, bytes] :
       {std::pair(first, 0.1), {first, 0.1}, {first, 0.1}, {second, 0.1}, {second, 0.2}}) {
    flows.start(1, route, Bytes(bytes), own);
    EXPECT_THAT(flows.advance(Seconds(no_cap)), ::testing::ElementsAre(1));
    EXPECT_THAT(flows.advance(flows.now() + Seconds(0.1)), ::testing::ElementsAre());  // alone
  }
  EXPECT_THAT(flows.advance(Seconds(no_cap)), ::testing::ElementsAre(0));
  EXPECT_EQ(flows.held_by(0), 0);
}

TEST(Sharing, WhatAFlowLeavesGoesOnFromLinkToLink) {
  // Links of 1, 2, 4, 8 in a row, a flow over each pair of neighbours: 0.5 on link 0 leaves 1.5 of link 1 to
  // flow 1, if flow 2 gets more elsewhere, and so on.
  Sharing sharing(links({1, 2, 4, 8}));
  add(sharing, 0, {{0}});
  add(sharing, 1, {{0, 1}});
  add(sharing, 2, {{1, 2}});
  add(sharing, 3, {{2, 3}});
  sharing.solve();
  EXPECT_EQ(sharing.rate(1).value, 0.5);
  EXPECT_EQ(sharing.rate(2).value, 1.5);
  EXPECT_EQ(sharing.rate(3).value, 2.5);
  sharing.remove(0);  // 1, 1, 3
  EXPECT_EQ(sharing.solve().size(), 3u);
  EXPECT_EQ(sharing.rate(1).value, 1);
  EXPECT_EQ(sharing.rate(2).value, 1);
  EXPECT_EQ(sharing.rate(3).value, 3);
}

TEST(Sharing, OnlyNewRatesAreTold) {
  Sharing sharing(links({1, 2}));
  add(sharing, 0, {{0}});
  add(sharing, 1, {{1}});
  sharing.solve();
  // One flow takes the place of another; nothing else changes.
  sharing.remove(0);
  add(sharing, 2, {{0}});
  const auto changed = sharing.solve();
  EXPECT_EQ(std::vector<Index>(changed.begin(), changed.end()), std::vector<Index>{2});
  EXPECT_FALSE(sharing.changed());
}

TEST(Sharing, NoLinksAndNoBandwidth) {
  Sharing sharing(links({1}));
  add(sharing, 0, {{}, 3});
  add(sharing, 1, {{}});
  sharing.solve();
  EXPECT_EQ(sharing.rate(0).value, 3);
  EXPECT_EQ(sharing.rate(1).value, no_cap);
  try {
    Sharing none(links({1, 0}));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "link 1 has no bandwidth (0 B/s); a message could never cross it");
  }
}

/// Fills all flows from nothing: those that reach the lowest level at which a link or a cap stops them keep
/// it.
class Reference {
 public:
  Reference(const std::vector<Link>& links, const std::map<Index, TestFlow>& flows)
      : links_(links), flows_(flows) {
    while (rates.size() < flows.size()) fill();
  }
  std::map<Index, double> rates;

 private:
  double level(LinkId link) const {
    double left = links_[link].bandwidth.value;
    int filling = 0;
    for (const auto& [id, flow] : flows_) {
      const auto hops = std::count(flow.route.begin(), flow.route.end(), link);
      if (rates.contains(id))
        left -= static_cast<double>(hops) * rates.at(id);
      else
        filling += static_cast<int>(hops);
    }
    return filling > 0 ? left / filling : no_cap;
  }
  double level(const TestFlow& flow, const std::vector<double>& of_link) const {
    double least = flow.cap;
    for (const LinkId link : flow.route) least = std::min(least, of_link[link]);
    return least;
  }
  void fill() {
    std::vector<double> of_link;
    for (LinkId l = 0; l < links_.size(); ++l) of_link.push_back(level(l));
    double lowest = no_cap;
    for (const auto& [id, flow] : flows_)
      if (!rates.contains(id)) lowest = std::min(lowest, level(flow, of_link));
    for (const auto& [id, flow] : flows_)
      if (!rates.contains(id) && level(flow, of_link) <= lowest * (1 + 1e-13)) rates[id] = lowest;
  }

  const std::vector<Link>& links_;
  const std::map<Index, TestFlow>& flows_;
};

/// The first link of the route that is full and on which no flow is faster.
LinkId held_by(Index id, const std::vector<Link>& links, const std::map<Index, TestFlow>& flows,
               const std::map<Index, double>& rates) {
  for (const LinkId link : flows.at(id).route) {
    double sum = 0, most = 0;
    for (const auto& [other, flow] : flows)
      if (std::ranges::count(flow.route, link) > 0)
        sum += rates.at(other), most = std::max(most, rates.at(other));
    if (sum > links[link].bandwidth.value * (1 - 1e-9) && rates.at(id) > most * (1 - 1e-9)) return link;
  }
  return no_link;
}

/// Few values, so that many levels are the same.
double round_number(std::mt19937& random) {
  return 0.25 * static_cast<double>(1 + random() % 16);
}

double any_number(std::mt19937& random) {
  return 0.1 + static_cast<double>(random() % 1000) * 3e-3;
}

TestFlow random_flow(std::mt19937& random, std::size_t links) {
  std::set<LinkId> crossed;
  for (auto hops = 1 + random() % 5; hops > 0; --hops) crossed.insert(static_cast<LinkId>(random() % links));
  TestFlow flow{{crossed.begin(), crossed.end()}};
  if (random() % 3 == 0) flow.cap = random() % 2 ? round_number(random) : any_number(random);
  return flow;
}

TEST(Sharing, EqualsAReferenceAfterEveryChange) {
  std::mt19937 random(7);
  for (int world = 0; world < 400; ++world) {
    std::vector<double> bandwidths(1 + random() % 12);
    for (double& b : bandwidths) b = random() % 3 ? round_number(random) : any_number(random);
    const std::vector<Link> all = links(bandwidths);
    Sharing sharing(all);
    std::map<Index, TestFlow> flows;
    for (int round = 0; round < 40; ++round) {
      std::set<Index> touched;
      for (auto changes = random() % 4 ? 1 + random() % 2 : random() % 25; changes > 0; --changes) {
        const auto id = static_cast<Index>(random() % 25);
        if (!touched.insert(id).second) continue;
        if (flows.erase(id) > 0)
          sharing.remove(id);
        else
          add(sharing, id, flows[id] = random_flow(random, all.size()));
      }
      sharing.solve();
      const std::map<Index, double> rates = Reference(all, flows).rates;
      for (const auto& [id, rate] : rates) {
        ASSERT_NEAR(sharing.rate(id).value, rate, 1e-12 * rate) << "world " << world << ", round " << round;
        ASSERT_EQ(sharing.held_by(id), held_by(id, all, flows, rates))
            << "world " << world << ", flow " << id;
      }
    }
  }
}

}  // namespace
}  // namespace collcast
