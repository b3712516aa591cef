// SPDX-License-Identifier: Apache-2.0
// Which link is named, and which engine `auto` takes, on ranks that share a trunk.
#include "engines/explain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <random>

#include "algorithms/catalogue.hpp"
#include "engines/automatic.hpp"
#include "engines/contention/contention.hpp"
#include "engines/engine.hpp"
#include "model/explained_path.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "tests/engines/contention/shared_fabric.hpp"
#include "tests/engines/player/schedules.hpp"
#include "tests/engines/player/scripts.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;
using Hold = MessageProtocol::Hold;

/// Links of 1 B/s on both sides of a trunk of 2 B/s: a message waits for the first of the slowest, out of its
/// sender, unless the trunk is busier by a quarter.
TEST(Explanation, NamesTheTrunkOnlyWhereItIsClearlyBusier) {
  const SharedFabric fabric(2, 2, Hold::injection);
  const std::vector<Delay> chain = {{Cause::queue, 0, 1, no_link, Seconds(10)}};
  for (const auto& [trunk, name] : {std::pair{11.0, "out 0"}, {12.5, "out 0"}, {13.0, "trunk"}}) {
    std::vector<Result::Use> used(fabric.links().size());
    used[0].busy = Seconds(10), used.back().busy = Seconds(trunk);
    const auto shares = explanation(fabric, chain, Seconds(0), Seconds(10), "", {}, used);
    ASSERT_EQ(shares.size(), 1u);
    EXPECT_EQ(shares[0].name, name) << trunk;
  }
}

/// Ports of three nodes, with the same names.
class Nodes : public SharedFabric {
 public:
  Nodes() : SharedFabric(3, 2, Hold::injection) {}
  std::string port_name(Port port) const override {
    return port < 3 ? "node " + std::to_string(port) + " NIC out" : SharedFabric::port_name(port);
  }
};

/// Corresponding links are one entry, named by the one that takes longest, or the first of several; what the
/// chain leaves of the time is queueing.
TEST(Explanation, AddsUpLinksThatCorrespond) {
  const auto of = [](double first, double second) {
    return explanation(
        Nodes(),
        {{Cause::link, 0, 2, no_link, Seconds(first)}, {Cause::link, 1, 2, no_link, Seconds(second)}},
        Seconds(0), Seconds(10), "trunk");
  };
  for (const auto& [first, second, name] :
       {std::tuple{4, 4, "node 0 NIC out"}, {3, 5, "node 1 NIC out"}, {5, 3, "node 0 NIC out"}}) {
    const auto shares = of(first, second);
    ASSERT_EQ(shares.size(), 2u);
    EXPECT_EQ(shares[0].name, name);
    EXPECT_EQ(shares[0].time, Seconds(8));
    EXPECT_EQ(shares[0].alike, 2u);
    EXPECT_EQ(shares[1].name, "trunk");
    EXPECT_EQ(shares[1].cause, Cause::queue);
    EXPECT_EQ(shares[1].time, Seconds(2));
  }
}

/// Three groups of two ranks, and a link of 1 B/s from each group to each other one, as on a dragonfly.
class Groups : public SharedFabric {
 public:
  Groups() : SharedFabric(6, 1, Hold::injection), links_(SharedFabric::links()) {
    links_.resize(links_.size() + 9, {BytesPerSecond(1)});
  }
  std::string port_name(Port port) const override {
    return "rank " + std::to_string(port % 6) + (port < 6 ? " out" : " in");
  }
  const std::vector<Link>& links() const override { return links_; }
  std::string link_name(LinkId link) const override {
    if (link <= ports()) return SharedFabric::link_name(link);
    const LinkId pair = link - ports() - 1;
    return "group " + std::to_string(pair / 3) + " switch 0 to group " + std::to_string(pair % 3) +
           " switch 0";
  }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    links.push_back(static_cast<LinkId>(from.rank));
    links.push_back(ports() + 1 + static_cast<LinkId>(3 * (from.rank / 2) + to.rank / 2));
    links.push_back(static_cast<LinkId>(to.rank) + 6);
  }

 private:
  std::vector<Link> links_;
};

/// Each rank sends 6 bytes to the next group, and 6 to the one after it.
std::vector<Script> to_other_groups(bool one_after_the_other) {
  std::vector<Script> all;
  for (Rank r = 0; r < 6; ++r) {
    const auto with = [r](Rank groups) { return (r + 2 * groups) % 6; };
    if (one_after_the_other)
      all.push_back({{send(with(1), 6), receive(with(2), 6)}, {send(with(2), 6), receive(with(1), 6)}});
    else
      all.push_back({{send(with(1), 6), send(with(2), 6), receive(with(2), 6), receive(with(1), 6)}});
  }
  return all;
}

std::vector<Share> explained(std::vector<Script> scripts, const Fabric& fabric) {
  Written program(std::move(scripts));
  PlayOptions options;
  options.explain = true;
  const Result r = contend(program, fabric, options);
  const std::vector<Share> shares = explanation(fabric, r.chain, {}, r.time, "busiest", {}, r.links);
  Seconds sum;
  for (const Share& s : shares) sum += s.time;
  EXPECT_NEAR(sum.value, r.time.value, 1e-9 * r.time.value);
  return shares;
}

void expect_shares(const std::vector<Share>& shares, const std::vector<Share>& expected) {
  ASSERT_EQ(shares.size(), expected.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    EXPECT_EQ(shares[i].cause, expected[i].cause) << i;
    EXPECT_EQ(shares[i].name, expected[i].name) << i;
    EXPECT_NEAR(shares[i].time.value, expected[i].time.value, 1e-9) << i;
    EXPECT_EQ(shares[i].alike, expected[i].alike) << i;
  }
}

/// In each of two steps two messages share a link between groups, another one each time: 12 s instead of 6.
/// In all, these links are as busy as those of the ranks, 12 s.
TEST(Explanation, NamesTheLinkThatAMessageShared) {
  expect_shares(explained(to_other_groups(true), Groups()),
                {{Cause::link, "rank 0 out", Seconds(12), 2},
                 {Cause::queue, "group 0 switch 0 to group 1 switch 0", Seconds(12), 2}});
}

/// The same messages all at once: the second waits 12 s for its port, 6 s of that for bytes, and 6 s because
/// the first was slowed by its link between groups. Then 6 s for its own bytes, and 6 s as it is slowed, too.
TEST(Explanation, BehindASlowedMessageOneWaitsForWhatSlowsIt) {
  expect_shares(explained(to_other_groups(false), Groups()),
                {{Cause::queue, "group 0 switch 0 to group 1 switch 0", Seconds(12), 2},
                 {Cause::link, "rank 0 out", Seconds(6)},
                 {Cause::queue, "rank 0 out", Seconds(6)}});
}

/// Rank 0's second message comes when half of the 12 s of its first one are over: it waits 3 s for bytes, and
/// 3 s because the first is slowed. Then it shares its own link until 24, and ends alone at 25.
TEST(Explanation, OnlyTheTimeOfTheWaitCounts) {
  expect_shares(explained({{{start({{send(2, 6)}}, 1), start({{compute(6)}, {send(4, 7)}}, 2)}},
                           {{send(3, 6), send(5, 6)}},
                           {{receive(0, 6)}},
                           {{receive(1, 6)}},
                           {{receive(0, 7)}},
                           {{receive(1, 6)}}},
                          Groups()),
                {{Cause::queue, "group 0 switch 0 to group 2 switch 0", Seconds(9), 2},
                 {Cause::link, "rank 0 out", Seconds(7)},
                 {Cause::compute, "computation", Seconds(6)},
                 {Cause::queue, "rank 0 out", Seconds(3)}});
}

/// The copies of a multicast are slowed together: an uplink of 1 B/s carries its 10 bytes and 6 of rank 1.
TEST(Explanation, NamesTheLinkThatSlowsAMulticast) {
  expect_shares(explained({{{multicast({4, 3}, 10)}},
                           {{send(7, 6)}},
                           {},
                           {},
                           {{receive(0, 10)}},
                           {{receive(0, 10)}},
                           {{receive(0, 10)}},
                           {{receive(1, 6)}}},
                          RackFabric(8, 1)),
                {{Cause::link, "out 0", Seconds(10)}, {Cause::queue, "rack 0 to 1", Seconds(6)}});
}

/// A schedule of the catalogue on a shipped platform, with contention.
struct Drawn {
  const Algorithm* algorithm;
  Call call;
  Placement placement;
  Description platform;

  Machine machine(const Description& d) const { return Machine(d, call.ranks, placement); }
  Reading read_on(const Machine& m, bool explain = false) const {
    return read(engine("contention"), SizedSchedule(*algorithm, call), m, explain);
  }
  /// With `times` the bandwidth of the link, by all parameters that set it.
  Seconds with_bandwidth(double times, LinkId link) const {
    const BytesPerSecond own = machine(platform).links()[link].bandwidth;
    std::vector<std::string> set_it;
    for (const Parameter& p : platform.parameters()) {
      if (p.unit != "GBps") continue;
      Description one = platform;
      set(one, p.path + "=" + std::to_string(times * p.value));
      if (std::abs(machine(one).links()[link].bandwidth / own - 1) > 1e-6)
        set_it.push_back(p.path + "=" + std::to_string(times * p.value));
    }
    Description all = platform;
    set_all(all, set_it);
    return read_on(machine(all)).time;
  }
  std::string words() const {
    return std::string(definition(algorithm->collective).name) + " " + algorithm->name + " of " +
           std::to_string(call.ranks) + " ranks on " + platform.name();
  }
};

std::optional<Drawn> drawn(std::mt19937& random) {
  const auto one_of = [&](const auto& list) { return list[random() % list.size()]; };
  Description d = load_platform(one_of(shipped_platforms()));
  const Algorithm* a = one_of(catalogue());
  Call call{.ranks = one_of(std::vector<Rank>{12, 16, 24, 32, 48}),
            .message = Bytes(one_of(std::vector<double>{1 << 20, 1 << 24}))};
  const auto placement = random() % 3 == 0 ? Placement::round_robin : Placement::block;
  const bool minimal = random() % 2 == 0;
  if (a->segmented) call.segments = 8;
  if (minimal && d.json().at("network").value("kind", "") == "dragonfly") set(d, "network.routing=minimal");
  try {
    check(*a, call);
    Machine(d, call.ranks, placement);
  } catch (const InputError&) {
    return {};  // not for so many ranks
  }
  return Drawn{a, call, placement, d};
}

/// Ranks dealt out over the nodes: copies leave by the node's links and by its cards in turn, and on every
/// engine each of these ports passes the message once.
TEST(Engines, PassCopiesOnceWhereRanksAreDealtOut) {
  const auto by = [](const char* e, const char* platform, Collective collective, const char* name,
                     double bytes) {
    const Call call{.ranks = 24, .message = Bytes(bytes)};
    const Machine machine(load_platform(platform), call.ranks, Placement::round_robin);
    return read(engine(e), SizedSchedule(algorithm(collective, name), call), machine).time.value;
  };
  for (const char* platform : {"dgx-h100", "azure-ndv2", "summit", "abci-v-mpi", "leonardo"})
    for (const auto& [collective, name] :
         {std::pair{Collective::broadcast, "multicast"}, {Collective::allreduce, "in-network"}})
      for (const double bytes : {65536., 1048576.})
        EXPECT_LE(by("path", platform, collective, name, bytes),
                  by("contention", platform, collective, name, bytes) * (1 + 1e-9))
            << platform << " " << name;
  const double played = by("contention", "dgx-h100", Collective::broadcast, "multicast", 1 << 20);
  EXPECT_NEAR(by("path", "dgx-h100", Collective::broadcast, "multicast", 1 << 20), played, 1e-9 * played);
}

/// A port that is held by the gap of each message rather than by its bytes: who waits there waits for
/// software.
TEST(Explanation, WaitingForGapsIsForSoftware) {
  Description cluster = load_platform("edr-cluster");
  for (const char* memory : {"host", "device"})
    set(cluster, "software.between_nodes." + std::string(memory) + ".gap_us=50");
  const Call call{.ranks = 12, .message = Bytes(1024)};
  const SizedSchedule sized(algorithm(Collective::broadcast, "flat"), call);
  const Machine machine(cluster, call.ranks);
  for (const char* e : {"path", "contention"}) {
    const Reading r = read(engine(e), sized, machine, true);
    Seconds software;
    for (const Delay& d : r.chain)
      if (d.cause == Cause::overhead) software += d.time;
    EXPECT_GT(software, 0.9 * r.time) << e;
  }
}

/// Bytes at the pace of software: who waits behind them waits for software, too, and links have a tenth of
/// it.
TEST(Explanation, APaceBelowThatOfTheLinksIsSoftware) {
  Description cluster = load_platform("edr-cluster");
  for (const char* memory : {"host", "device"})
    set(cluster, "software.between_nodes." + std::string(memory) + ".bandwidth_GBps=1.2");
  const Call call{.ranks = 12, .message = Bytes(1 << 20)};
  const SizedSchedule sized(algorithm(Collective::broadcast, "flat"), call);
  const Machine machine(cluster, call.ranks);
  for (const char* e : {"path", "contention"}) {
    const Reading r = read(engine(e), sized, machine, true);
    const auto shares = explanation(machine, r.chain, Seconds(), r.time, "");
    ASSERT_FALSE(shares.empty());
    EXPECT_EQ(shares[0].cause, Cause::overhead) << e;
    EXPECT_GT(shares[0].time, 0.9 * r.time) << e;
    EXPECT_NEAR(shares[0].moving / shares[0].time, 0.1, 0.01) << e;
  }
}

/// A ring of small messages, whose ranks pay overheads for 58 % of the time.
TEST(Explanation, SoftwareLimitsARingOfSmallMessages) {
  for (const Rank ranks : {64, 512}) {
    const Call call{.ranks = ranks, .message = Bytes(4096)};
    const SizedSchedule sized(algorithm(Collective::allreduce, "ring"), call);
    const Machine machine(load_platform("edr-cluster"), ranks);
    const Reading r = read(engine("path"), sized, machine, true);
    EXPECT_EQ(r.limited_by, "software");
    EXPECT_NEAR(r.share.value_or(0), 0.58, 0.01);
  }
}

Seconds sum_of(const std::vector<Delay>& chain) {
  Seconds sum;
  for (const Delay& delay : chain) sum += delay.time;
  return sum;
}

/// A path is traced through legs of one step each as through the whole: by way of what every reading keeps,
/// of several channels, of rendezvous and of reductions.
TEST(Explanation, OfAPathDoesNotDependOnItsLegs) {
  for (const Algorithm* a : catalogue()) {
    const Call call{.ranks = 12, .message = Bytes(3e6)};
    try {
      check(*a, call);
    } catch (const InputError&) {
      continue;  // not for so many ranks
    }
    const SizedSchedule sized(*a, call);
    for (const char* hold : {"injection", "delivery"}) {
      Description platform = load_platform("summit");
      set(platform, std::string("protocol.hold=") + hold);
      const Machine machine(platform, call.ranks);
      std::vector<Delay> whole, legs;
      const Seconds time = explained_path(sized.schedule, sized.layout, machine, whole, 1 << 30).time;
      explained_path(sized.schedule, sized.layout, machine, legs, 1);
      EXPECT_EQ(whole.empty(), legs.empty()) << full_name(*a);
      EXPECT_NEAR(sum_of(legs) / sum_of(whole), 1, 1e-12) << full_name(*a) << ", " << hold;
      EXPECT_LE(sum_of(legs), time * (1 + 1e-12)) << full_name(*a) << ", " << hold;
    }
  }
}

/// Eight million messages of a ring, whose periods are traced without being read, and a million of an
/// alltoall, in which each rank does what rank 0 does: the causes of all their time are known.
TEST(Explanation, NamesAllOfALongPath) {
  for (const auto& [collective, name, platform, ranks] :
       {std::tuple{Collective::allreduce, "ring", "summit", 2000},
        {Collective::alltoall, "linear", "flat", 1024}}) {
    const SizedSchedule sized(algorithm(collective, name), {.ranks = ranks, .message = Bytes(1 << 26)});
    const Machine machine(load_platform(platform), ranks);
    const Reading r = read(engine("path"), sized, machine, true);
    EXPECT_NEAR(sum_of(r.chain) / r.time, 1, 1e-9) << name;
  }
}

/// Where messages lose a quarter of the time or more by sharing links of one kind, half the bandwidth of
/// these links costs at least half of that again. Twice the bandwidth saves time, unless another link of
/// their ways is as slow, which is rare.
TEST(Explanation, WhatIsNamedIsWhatItDependsOn) {
  std::mt19937 random(5);
  int named = 0, faster = 0;
  for (int i = 0; i < testing::all_or_one_in(4, 900); ++i) {
    const auto c = drawn(random);
    if (!c) continue;
    const Machine machine = c->machine(c->platform);
    const Reading r = c->read_on(machine, true);
    std::map<std::string, std::pair<Seconds, LinkId>> shared;
    for (const Delay& d : r.chain)
      if (d.at != no_link) {
        auto& [time, link] = shared[alike(machine.link_name(d.at))];
        time += d.time, link = d.at;
      }
    for (const auto& [kind, lost] : shared) {
      const auto& [time, link] = lost;
      if (!(time > r.time / 4)) continue;
      ++named;
      EXPECT_GT((c->with_bandwidth(0.5, link) - r.time).value, time.value / 2) << kind << ", " << c->words();
      faster += c->with_bandwidth(2, link) < r.time * (1 - 1e-9);
    }
  }
  EXPECT_GT(named, testing::all_or_one_in(4, 20));
  EXPECT_GT(faster, 0.9 * named);
}

/// Each rank in turn multicasts to all: 640,000 messages of 800 ranks are more than 600,000, 250,000 of 500
/// ranks are not. A multicast may meet others where ports are not held until it has arrived.
TEST(Automatic, CountsWhatIsMulticast) {
  EXPECT_FALSE(messages_may_share(multicasts(800), SharedFabric(800, 1, Hold::injection)));
  EXPECT_TRUE(messages_may_share(multicasts(500), SharedFabric(500, 1, Hold::injection)));
  EXPECT_FALSE(messages_may_share(multicasts(500), SharedFabric(500, 1, Hold::delivery)));
}

}  // namespace
}  // namespace collcast
