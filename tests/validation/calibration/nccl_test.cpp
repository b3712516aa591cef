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
#include "tests/complaint.hpp"
#include "validation/calibration/text.hpp"

namespace collcast {
namespace {

using collcast::testing::complaint;

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
  const NcclCalibration c = calibrate_nccl(load_platform("abci-v"), table(4), "nccl-2.8", "made up");
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
  const double truth[3][4] = {{6, 2, 2.7, 2.7}, {10, 1.05, 4, 4}, {20, 1.05, 28, 4}};
  const NcclCalibration c = calibrate_nccl(load_platform("abci-v"), table(4, 1, 20), "nccl-2.8", "made up");
  ASSERT_EQ(c.costs.size(), 12u);
  int said = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    if (!c.costs[i].after) continue;
    ++said;
    EXPECT_LT(std::abs(*c.costs[i].after - truth[i / 4][i % 4]),
              2 * *c.costs[i].after * std::expm1(*c.costs[i].deviation))
        << c.costs[i].parameter;
  }
  EXPECT_GE(said, 3);
}

TEST(CalibrateNccl, WarnsOfLinksThatTheTableContradicts) {
  const auto notes = calibrate_nccl(load_platform("abci-v"), table(4, 1.25), "nccl-2.8", "made up").notes;
  EXPECT_TRUE(notes.at(0).starts_with("made.txt: with any software abci-v forecasts 128 MiB ")) << notes[0];
  EXPECT_TRUE(notes[0].ends_with("too fast: its links are not those of the table")) << notes[0];
  EXPECT_TRUE(complaint([] {
                calibrate_nccl(load_platform("abci-v"), table(4, 4), "nccl-2.8", "made up");
              }).ends_with("too fast: its links are not those of the table"));
}

/// 5.2 GB/s between the sockets, of which NCCL makes a ring of 5; the platform guesses 6.
TEST(CalibrateNccl, FitsAGuessedLinkThatLargeMessagesContradict) {
  const std::string parameter = "node.link_kinds.sockets.bandwidth_GBps";
  const Description base = load_platform("rtx2080ti-cluster");
  Description true_one = base;
  set(true_one, parameter + "=5.2");
  const Situation s = situation(true_one, 32, "nccl-2.7");
  const nccl::Policy policy = *nccl::parse("nccl-2.7");
  std::vector<Measurement> all;
  for (double bytes = 1 << 12; bytes <= 1 << 28; bytes *= 2) {
    const Call call{.ranks = 32, .message = Bytes(bytes)};
    const nccl::Candidate c = nccl::choose(policy, Collective::allreduce, call, s);
    Measurement m;
    m.library = "nccl-tests", m.ranks = 32, m.message = call.message, m.file = "made.txt", m.line = 1;
    m.time = nccl::play(policy, m.collective, call, s, c, nccl::published_software(7, s)).time;
    all.push_back(m);
  }
  const NcclCalibration c = calibrate_nccl(base, all, "nccl-2.7", "made up");
  EXPECT_TRUE(c.notes[0].starts_with(parameter + " was a guess, 6.00 GB/s, ")) << c.notes[0];
  EXPECT_LT(std::abs(c.tables[0].large), 0.02);
  const Description now = parse_platform(platform_text(c.platform), "new", "new.json");
  const Json link = now.json()["node"]["link_kinds"]["sockets"]["bandwidth_GBps"];
  EXPECT_EQ(link["stamp"], "calibrated");
  EXPECT_LE(link["low"], 5.2);
  EXPECT_GE(link["high"], 5.2);
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
