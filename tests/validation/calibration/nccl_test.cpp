// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/nccl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "libraries/nccl/transport.hpp"
#include "libraries/situation.hpp"
#include "platforms/description/calibrated_on.hpp"
#include "platforms/description/load.hpp"
#include "support.hpp"
#include "support/address_sanitizer.hpp"
#include "tests/complaint.hpp"
#include "validation/calibration/text.hpp"

namespace collcast {
namespace {

using namespace testing;

/// What nccl-tests would print of abci-v where LL launches in 6 us, a channel of it in 2 us, and Simple in
/// `simple_us`.
std::vector<Measurement> table(Rank ranks, double slower = 1, double simple_us = 8.4) {
  const Description d = load_platform("abci-v");
  const Situation s = situation(d, ranks, "nccl-2.8");
  const nccl::Policy policy = *nccl::parse("nccl-2.8");
  nccl::Software software = nccl::published_software(8, s);
  software.ring_launch[0] = software.tree_launch[0] = 6, software.channel[0] = 2;
  software.ring_launch[2] = software.tree_launch[2] = simple_us;
  std::vector<Measurement> all;
  for (double bytes = 8; bytes <= 1 << 27; bytes *= 2) {
    const Call call{.ranks = ranks, .message = Bytes(bytes)};
    const nccl::Candidate c = nccl::choose(policy, Collective::allreduce, call, s);
    Measurement m;
    m.library = "nccl-tests", m.ranks = ranks, m.message = call.message, m.file = "made.txt", m.line = 1;
    m.time = (bytes > 1e6 ? slower : 1) * nccl::play(policy, m.collective, call, s, c, software).time;
    all.push_back(m);
  }
  return all;
}

/// What nccl-tests would print of a platform under a policy, with these ranks; `played` tells NCCL what to
/// play, of which the tables say nothing.
std::vector<Measurement> tables_of(const Description& d, const std::string& policy,
                                   const std::vector<Rank>& of_ranks, const std::string& played = "",
                                   Collective collective = Collective::allreduce) {
  std::vector<Measurement> all;
  for (const Rank ranks : of_ranks) {
    const Situation s = situation(d, ranks, policy + played);
    const nccl::Policy told = *nccl::parse(policy + played);
    const nccl::Software software = nccl::software_on(read_blueprint(d), told.release, s);
    for (double bytes = 8; bytes <= 1 << 30; bytes *= 2) {
      const Call call{.ranks = ranks, .message = Bytes(bytes)};
      const nccl::Candidate c = nccl::choose(told, collective, call, s);
      if (!nccl::has_transport(c.shape)) continue;
      Measurement m;
      m.library = "nccl-tests", m.ranks = ranks, m.message = call.message, m.collective = collective;
      m.file = std::to_string(ranks) + ".txt", m.line = 1;
      m.time = nccl::play(told, collective, call, s, c, software).time;
      all.push_back(m);
    }
  }
  return all;
}

/// Eight H100 a node, two of which share a PCIe switch and a network card of 24 GB/s, or about that; what a
/// PCIe link carries is a guess.
Description four_cards(const std::string& stamp = "derived") {
  Json links = Json::array();
  const auto link = [&](const std::string& a, const std::string& b, const char* kind, int count) {
    links.push_back({{"between", {a, b}}, {"kind", kind}, {"count", count}});
  };
  Json vertices;
  for (int i = 0; i < 8; ++i) {
    const std::string gpu = "gpu" + std::to_string(i), at = "plx" + std::to_string(i / 2);
    link(gpu, "nvswitch", "nvlink4", 18), link(gpu, at, "pcie5-x16", 1);
  }
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    link("plx" + n, i < 2 ? "cpu0" : "cpu1", "pcie5-x16", 1), link("nic" + n, "plx" + n, "pcie5-x16", 1);
    vertices["nic" + std::to_string(i + 4)] = nullptr;
  }
  link("nvme0", "plx0", "pcie4-x4", 1), link("cpu0", "cpu1", "upi-sapphire-rapids", 1);
  for (const char* cpu : {"cpu0", "cpu1"}) link(cpu, cpu, "shared-memory", 1);
  const Json platform = {
      {"base", "dgx-h100"},
      {"network", {{"bandwidth_GBps", {{"value", 24}, {"source", "HDR at 96 %"}, {"stamp", stamp}}}}},
      {"node", {{"vertices", vertices}, {"links", links}}}};
  return parse_platform(platform_text(platform), "four-cards", "four-cards.json");
}

/// The largest error of a forecast of tables.
double worst(const Description& d, const std::string& policy, const std::vector<Measurement>& tables) {
  double most = 0;
  for (const Measurement& m : tables) {
    const Situation s = situation(d, m.ranks, policy);
    const nccl::Policy p = *nccl::parse(policy);
    const Call call{.ranks = m.ranks, .message = m.message};
    const nccl::Software software = nccl::software_on(read_blueprint(d), p.release, s);
    const nccl::Candidate c = nccl::choose(p, m.collective, call, s);
    most = std::max(most, std::abs(nccl::play(p, m.collective, call, s, c, software).time / m.time - 1));
  }
  return most;
}

const NcclCost& cost(const NcclCalibration& c, const std::string& parameter) {
  return *std::ranges::find(c.costs, "software.nccl." + parameter, &NcclCost::parameter);
}

bool says(const NcclCalibration& c, const std::string& part, const std::string& more) {
  return std::ranges::any_of(c.notes, [&](const std::string& words) {
    return words.find(part) != std::string::npos && words.find(more) != std::string::npos;
  });
}

/// A platform whose hops take longer gives its own tables back, calibrated on two and on four nodes; also on
/// more.
TEST(CalibrateNccl, TellsATreesHopFromTheLaunch) {
  const Description base = four_cards();
  Description slow = base;
  set_all(slow, {"software.nccl.LL.tree_hop_us=12", "software.nccl.LL128.tree_hop_us=20",
                 "software.nccl.Simple.tree_hop_us=40"});
  const std::string policy = "nccl-2.28";
  const NcclCalibration c = calibrate_nccl(base, tables_of(slow, policy, {16, 32}), policy, "made up");
  EXPECT_NEAR(cost(c, "LL.tree_hop_us").after.value_or(0), 12, 0.5);
  EXPECT_NEAR(cost(c, "LL128.tree_hop_us").after.value_or(0), 20, 1);
  EXPECT_NEAR(cost(c, "LL.launch_us").after.value_or(6.7), 6.7, 0.4);
  EXPECT_NEAR(cost(c, "LL128.launch_us").after.value_or(14), 14, 2);
  for (const NcclTable& t : c.tables) EXPECT_LT(t.after, 0.01) << t.file;
  EXPECT_LT(worst(laid_over(base, c.platform), policy, tables_of(slow, policy, {64, 128})), 0.05);
}

TEST(CalibrateNccl, LeavesATreesHopToTablesThatShowIt) {
  const Description base = four_cards();
  Description slow = base;
  set_all(slow, {"software.nccl.LL.tree_hop_us=20", "software.nccl.LL.hop_us=9"});
  const std::string rings = "nccl-2.28:algo=Ring", policy = "nccl-2.28";
  const NcclCalibration of_rings = calibrate_nccl(base, tables_of(slow, rings, {8, 16}), rings, "made up");
  EXPECT_NEAR(cost(of_rings, "LL.hop_us").after.value_or(0), 9, 0.5);
  EXPECT_FALSE(cost(of_rings, "LL.tree_hop_us").after);
  EXPECT_TRUE(says(of_rings, "no size of these tables shows", "LL.tree_hop_us (5.00 us)"));
  // Four nodes alone: what is long there may be the launch.
  const NcclCalibration of_four = calibrate_nccl(base, tables_of(slow, policy, {32}), policy, "made up");
  EXPECT_FALSE(cost(of_four, "LL.tree_hop_us").after);
  EXPECT_FALSE(cost(of_four, "LL.launch_us").after);
  EXPECT_TRUE(says(of_four, "these tables do not tell", "LL.tree_hop_us (5.00 us)"));
  // Two nodes alone: beside the published launch only a hop explains them.
  const NcclCalibration of_two = calibrate_nccl(base, tables_of(slow, policy, {16}), policy, "made up");
  EXPECT_NEAR(cost(of_two, "LL.tree_hop_us").after.value_or(0), 20, 0.5);
  EXPECT_FALSE(cost(of_two, "LL.launch_us").after);
  EXPECT_TRUE(says(of_two, "told only beside", "LL.tree_hop_us"));
}

/// What is written is known to within a factor of two.
TEST(CalibrateNccl, WritesNoLargeUncertainty) {
  for (const std::vector<Rank>& ranks : {std::vector<Rank>{4}, {4, 8}, {8, 16, 32}}) {
    std::vector<Measurement> all;
    double sign = 1;
    for (const Rank r : ranks)
      for (Measurement m : table(r, 1, 20)) m.time = (1 + 0.1 * (sign = -sign)) * m.time, all.push_back(m);
    const NcclCalibration c = calibrate_nccl(load_platform("abci-v"), all, "nccl-2.8", "made up");
    for (const auto& [protocol, costs] : c.platform["software"]["nccl"].items())
      for (const auto& [key, fitted] : costs.items()) {
        EXPECT_GE(fitted["low"].get<double>(), 0.49 * fitted["value"].get<double>()) << protocol << key;
        EXPECT_LE(fitted["high"].get<double>(), 2.01 * fitted["value"].get<double>()) << protocol << key;
      }
  }
}

/// Large messages by rings on two nodes, where NCCL's model chooses trees: links of half the rate would look
/// the same.
TEST(CalibrateNccl, DoesNotBlameALinkForAnotherAlgorithm) {
  if (address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  for (const char* network : {"derived", "guess"}) {
    const Description base = four_cards(network);
    Description played = base;
    set(played, "software.nccl.LL.launch_us=12");
    const auto large = [](const Measurement& m) { return m.message >= Bytes(1 << 28); };
    std::vector<Measurement> all = tables_of(played, "nccl-2.28", {8, 16});
    std::erase_if(all, large);
    std::ranges::copy_if(tables_of(played, "nccl-2.28", {16}, ":algo=Ring"), std::back_inserter(all), large);
    const NcclCalibration c = calibrate_nccl(base, all, "nccl-2.28", "made up");
    EXPECT_FALSE(c.platform.contains("node"));
    EXPECT_FALSE(c.platform.contains("network"));
    EXPECT_TRUE(c.notes[0].starts_with("16.txt: large messages are forecast ")) << c.notes[0];
    EXPECT_NE(c.notes[0].find("too fast, and the tables cannot tell why: it may be that NCCL played rings"),
              std::string::npos)
        << c.notes[0];
    EXPECT_NE(c.notes[0].find("--policy nccl-2.28:algo=Ring"), std::string::npos) << c.notes[0];
    EXPECT_NEAR(cost(c, "LL.launch_us").after.value_or(0), 12, 2);
  }
}

/// Cards of 16 GB/s, guessed to have 24: on four nodes they limit rings. PCIe links, a guess as well, would
/// have to be three times slower.
TEST(CalibrateNccl, FitsTheNetworkThatLargeMessagesShow) {
  if (address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const Description base = four_cards("guess");
  Description played = base;
  set_all(played, {"network.bandwidth_GBps=16", "software.nccl.LL.launch_us=12"});
  const NcclCalibration c =
      calibrate_nccl(base, tables_of(played, "nccl-2.28", {8, 32}), "nccl-2.28", "made up");
  EXPECT_TRUE(c.notes[0].starts_with("network.bandwidth_GBps was a guess, 24.0 GB/s")) << c.notes[0];
  EXPECT_NEAR(c.platform["network"]["bandwidth_GBps"]["value"].get<double>(), 16, 0.3);
  EXPECT_NEAR(cost(c, "LL.launch_us").after.value_or(0), 12, 0.5);
  EXPECT_LT(worst(laid_over(base, c.platform), "nccl-2.28", tables_of(played, "nccl-2.28", {64})), 0.03);
}

/// No software is fitted to messages that cards limit, on which it has no hold: a tree's hop would take a
/// millisecond.
TEST(CalibrateNccl, FitsNoSoftwareToLinks) {
  if (address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const Description base = four_cards("guess");
  Description played = base;
  set_all(played, {"network.bandwidth_GBps=12", "software.nccl.LL.launch_us=12"});
  const NcclCalibration c =
      calibrate_nccl(base, tables_of(played, "nccl-2.28", {8, 16}), "nccl-2.28", "made up");
  EXPECT_TRUE(c.notes[0].starts_with("network.bandwidth_GBps was a guess, 24.0 GB/s")) << c.notes[0];
  EXPECT_NEAR(c.platform["network"]["bandwidth_GBps"]["value"].get<double>(), 12, 0.3);
  EXPECT_NEAR(cost(c, "LL.launch_us").after.value_or(0), 12, 0.5);
  EXPECT_FALSE(cost(c, "Simple.tree_hop_us").after);
}

TEST(CalibrateNccl, LeavesTheLaunchOfThreadsThatLaunchSeveralGpus) {
  std::vector<Measurement> measured = table(4);
  for (Measurement& m : measured) m.gpus_a_thread = 4;
  const auto calibration = [&] {
    return calibrate_nccl(load_platform("abci-v"), measured, "nccl-2.8", "made up");
  };
  const NcclCalibration alone = calibration();
  const Json& ll = alone.platform["software"]["nccl"]["LL"];
  EXPECT_FALSE(ll.contains("launch_us"));
  EXPECT_NEAR(ll["channel_us"]["value"].get<double>(), 2, 0.1);
  EXPECT_TRUE(std::ranges::any_of(alone.notes, [](const std::string& words) {
    return words.find("a thread launches several GPUs") == 0 &&
           words.find("LL.launch_us, 6") != std::string::npos;
  }));
  // A table of one GPU a thread says the launch, whatever that of several adds to it.
  for (Measurement& m : measured) m.time += Seconds(10e-6), m.file = "several.txt";
  std::ranges::move(table(4), std::back_inserter(measured));
  const Json costs = calibration().platform["software"]["nccl"]["LL"];
  EXPECT_NEAR(costs["launch_us"]["value"].get<double>(), 6, 0.1);
  EXPECT_NEAR(costs["channel_us"]["value"].get<double>(), 2, 0.1);
}

TEST(CalibrateNccl, FindsWhatTablesSayAndKeepsTheRest) {
  std::vector<Measurement> measured = table(4);
  measured[0].library = "nccl-tests, NCCL 2.10.3";
  const NcclCalibration c = calibrate_nccl(load_platform("abci-v"), measured, "nccl-2.8", "made up");
  EXPECT_EQ(c.notes.back(), "made.txt says that NCCL 2.10.3 ran: that is --policy nccl-2.10, not nccl-2.8");
  std::map<std::string, NcclCost> costs;
  for (const NcclCost& cost : c.costs) costs[cost.parameter] = cost;
  EXPECT_NEAR(*costs.at("software.nccl.LL.launch_us").after, 6, 0.1);
  EXPECT_NEAR(*costs.at("software.nccl.LL.channel_us").after, 2, 0.1);
  // One node says nothing of the network.
  EXPECT_FALSE(costs.at("software.nccl.LL.hop_us").after);
  EXPECT_FALSE(costs.at("software.nccl.Simple.proxy_us").after);
  EXPECT_FALSE(c.platform["software"]["nccl"]["LL"].contains("hop_us"));
  ASSERT_EQ(c.tables.size(), 1u);
  EXPECT_GT(c.tables[0].before, 0.05);
  EXPECT_LT(c.tables[0].after, 0.01);
  const Description now = parse_platform(platform_text(c.platform), "new", "new.json");
  EXPECT_EQ(now.json()["software"]["nccl"]["LL"]["launch_us"]["stamp"], "calibrated");
  const CalibratedOn on = calibrated_on(now).at(0);
  EXPECT_EQ(on.text(), "nccl-2.8: allreduce, 4 ranks, 8 B to 128 MiB");
  EXPECT_EQ(on.tables, 1);
  EXPECT_LT(on.within_tables, 0.02);
}

/// Simple takes all channels of large messages, so that its launch and its channels go together: where the
/// tables do not say the one, they do not say the other.
TEST(CalibrateNccl, IntervalsHoldTheTruth) {
  const double truth[3][5] = {{6, 2, 2.7, 5, 2.7}, {10, 1.05, 4, 8.5, 4}, {20, 1.05, 28, 28, 4}};
  const NcclCalibration c = calibrate_nccl(load_platform("abci-v"), table(4, 1, 20), "nccl-2.8", "made up");
  ASSERT_EQ(c.costs.size(), 15u);
  int said = 0;
  for (std::size_t i = 0; i < 15; ++i) {
    if (!c.costs[i].after) continue;
    ++said;
    EXPECT_LE(c.costs[i].low(), truth[i / 5][i % 5]) << c.costs[i].parameter;
    EXPECT_GE(c.costs[i].high(), truth[i / 5][i % 5]) << c.costs[i].parameter;
  }
  EXPECT_GE(said, 2);
}

TEST(CalibrateNccl, WarnsOfLinksThatTheTableContradicts) {
  const auto notes = calibrate_nccl(load_platform("abci-v"), table(4, 1.25), "nccl-2.8", "made up").notes;
  EXPECT_TRUE(notes.at(0).starts_with("made.txt: with any software abci-v forecasts 128 MiB ")) << notes[0];
  EXPECT_TRUE(notes[0].ends_with("too fast: its links are not those of the table")) << notes[0];
  EXPECT_TRUE(complaint([] {
                calibrate_nccl(load_platform("abci-v"), table(4, 4), "nccl-2.8", "made up");
              }).ends_with("too fast: its links are not those of the table"));
}

/// Between the sockets; the platform guesses 6 GB/s.
NcclCalibration of_sockets(double GBps) {
  const Description base = load_platform("rtx2080ti-cluster");
  Description true_one = base;
  set(true_one, "node.link_kinds.sockets.bandwidth_GBps=" + std::to_string(GBps));
  std::vector<Measurement> all = tables_of(true_one, "nccl-2.7", {32});
  std::erase_if(all, [](const Measurement& m) { return m.message < Bytes(1 << 12); });
  return calibrate_nccl(base, all, "nccl-2.7", "made up");
}

/// 5.2 GB/s, of which NCCL makes a ring of 5.
TEST(CalibrateNccl, FitsAGuessedLinkThatLargeMessagesContradict) {
  const NcclCalibration c = of_sockets(5.2);
  EXPECT_TRUE(c.notes[0].starts_with("node.link_kinds.sockets.bandwidth_GBps was a guess, 6.00 GB/s, "))
      << c.notes[0];
  EXPECT_EQ(c.notes[0].find("before you rely on it"), std::string::npos);
  EXPECT_LT(std::abs(c.tables[0].large_log_error), 0.02);
  const Description now = parse_platform(platform_text(c.platform), "new", "new.json");
  const Json link = now.json()["node"]["link_kinds"]["sockets"]["bandwidth_GBps"];
  EXPECT_EQ(link["stamp"], "calibrated");
  EXPECT_LE(link["low"], 5.2);
  EXPECT_GE(link["high"], 5.2);
  EXPECT_LT(link["low"], link["high"]);
}

TEST(CalibrateNccl, SaysThatALinkIsFarFromItsGuess) {
  const NcclCalibration c = of_sockets(3.2);
  EXPECT_NE(c.notes[0].find("before you rely on it, measure the link by itself"), std::string::npos)
      << c.notes[0];
}

/// Of what switches reduce no cost is fitted: such points are told, and left out.
TEST(CalibrateNccl, LeavesOutWhatSwitchesReduce) {
  const Description base = load_platform("dgx-h100");
  const Situation s = situation(base, 8, "nccl-2.22");
  std::vector<Measurement> all;
  int switched = 0;
  for (double bytes = 8; bytes <= 1 << 27; bytes *= 2) {
    const Call call{.ranks = 8, .message = Bytes(bytes)};
    const nccl::Candidate c = nccl::choose(*nccl::parse("nccl-2.22"), Collective::allreduce, call, s);
    Measurement m;
    m.library = "nccl-tests", m.ranks = 8, m.message = call.message, m.file = "made.txt", m.line = 1;
    m.time = Seconds(30e-6 + bytes / 2e11);
    switched += !nccl::has_transport(c.shape);
    all.push_back(m);
  }
  ASSERT_GT(switched, 1);
  ASSERT_LT(switched, static_cast<int>(all.size()));
  const auto notes = calibrate_nccl(base, all, "nccl-2.22", "made up").notes;
  EXPECT_NE(
      std::ranges::find(notes, std::to_string(switched) +
                                   " points are left out, which NCCL plays by NVLS: costs are fitted to "
                                   "rings and trees"),
      notes.end());
  EXPECT_EQ(complaint([&] { calibrate_nccl(base, {all.back()}, "nccl-2.22", "made up"); }),
            "there is no size that NCCL plays by rings or trees to calibrate with");
}

TEST(CalibrateNccl, Refuses) {
  const Description base = load_platform("abci-v");
  const auto said = [&](std::vector<Measurement> m, const std::string& policy) {
    return complaint([&] { calibrate_nccl(base, m, policy, "s"); });
  };
  EXPECT_EQ(said(table(4), "mpich"),
            "nccl-tests tables calibrate NCCL's software: --policy nccl-2.18, or the release that ran, not "
            "'mpich'");
  EXPECT_EQ(said({}, "nccl-2.8"), "there is no measurement to calibrate with");
  std::vector<Measurement> osu = table(4);
  osu[2].library = "OSU 5.7";
  EXPECT_EQ(said(osu, "nccl-2.8"), "made.txt:1: is not a table of nccl-tests");
  std::vector<Measurement> placed = table(4);
  placed[0].sockets = 2;
  EXPECT_EQ(said(placed, "nccl-2.8"),
            "made.txt: sockets=: ranks are taken to fill a node slot by slot here; leave it out");
  std::vector<Measurement> waiting = table(4);
  for (std::size_t i = 0; i < waiting.size(); ++i)
    waiting[i].time = Seconds(10.0 / static_cast<double>(i + 1));
  EXPECT_NE(said(waiting, "nccl-2.8").find("times that waiting dominates"), std::string::npos);
}

/// As where a first call loads what the others find.
TEST(CalibrateNccl, TakesATableWhoseFirstRowIsSlow) {
  std::vector<Measurement> slow = table(4);
  slow.front().time = 2 * slow[1].time;
  EXPECT_NO_THROW(calibrate_nccl(load_platform("abci-v"), slow, "nccl-2.8", "made up"));
}

}  // namespace
}  // namespace collcast
