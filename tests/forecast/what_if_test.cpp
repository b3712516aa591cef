// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>

#include "engines/simulated.hpp"
#include "forecast/answer.hpp"
#include "forecast/report/answer.hpp"
#include "forecast/report/what_if.hpp"
#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace literals;
using collcast::testing::complaint;

Question ring(const std::string& platform, Rank ranks, Bytes size) {
  Question q;
  q.collectives = {"allreduce"};
  q.algorithm = "ring";
  q.platforms = {platform};
  q.ranks = {ranks};
  q.sizes = {size};
  return q;
}

/// All cards and cables are as wide; in the last step eight nodes share one cable up.
TEST(Explanation, NamesTheLinkWhereMessagesMeet) {
  for (const char* engine : {"contention", "simgrid"}) {
    if (std::string(engine) == "simgrid" && !can_simulate()) continue;
    Question q = ring("edr-cluster", 16, Bytes(1e9));
    q.algorithm = "recursive-doubling", q.engine = engine;
    q.set = {"network.levels.0.down=8", "network.levels.0.up=1", "max_nodes=288"};
    EXPECT_EQ(ask(q).rows.front().prediction.limited_by, "leaf 0 up 0") << engine;
  }
}

std::map<std::string, std::string> caps(const Question& q) {
  std::map<std::string, std::string> all;
  for (const Unbound& u : ask(q).unbound) all[u.parameter] = u.capped_by;
  return all;
}

TEST(Unbound, SaysWhatBindsInItsPlace) {
  // A port behind a slower PCIe link: a faster one waits for that.
  Question q = ring("edr-cluster", 8, 64_MiB);
  q.set = {"node.link_kinds.pcie3-x16.bandwidth_GBps=5", "network.bandwidth_GBps=50"};
  const auto all = caps(q);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.at("network.bandwidth_GBps"), "pcie3-x16, 5.00 GB/s");
  q.set = {"node.links.pcie3-x16.count=2", "node.link_kinds.pcie3-x16.bandwidth_GBps=2.5",
           "network.bandwidth_GBps=50"};  // of two side by side each carries half
  EXPECT_EQ(caps(q).at("network.bandwidth_GBps"), "pcie3-x16 x 2, 5.00 GB/s");
}

TEST(Unbound, IsEmptyWhereTheAnswerMoves) {
  Question q = ring("flat", 8, 1_MiB);
  EXPECT_TRUE(caps(q).empty());
  q.set = {"network.bandwidth_GBps=25", "network.latency_us=2"};
  EXPECT_TRUE(caps(q).empty());
}

TEST(Unbound, NamesWhatNothingDependsOn) {
  Question q = ring("summit", 6, 1_MiB);
  q.set = {"network.bandwidth_GBps=100", "devices.V100-SXM2-16GB.memory_GiB=80"};
  const auto all = caps(q);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(
      all.at("network.bandwidth_GBps").starts_with("nothing: no time here depends on it; limited by "));
  EXPECT_EQ(all.at("devices.V100-SXM2-16GB.memory_GiB"), affects_fit_only);
  EXPECT_EQ(report::words(std::vector<Unbound>{{"devices.X.memory_GiB", std::string(affects_fit_only)}}),
            "devices.X.memory_GiB changes what fits, not the time.\n");
}

/// edr-cluster has 18 nodes below a leaf switch: of 18 none sends upwards, of 19 some do.
TEST(Unbound, NamesTheLevelThatTheNodesShare) {
  Question q = ring("edr-cluster", 18, 1_MiB);
  q.set = {"network.levels.0.up=6"};
  EXPECT_TRUE(caps(q)
                  .at("network.levels.0.up")
                  .starts_with("nothing: the 18 nodes share their switches of the level leaf; limited by "));
  q.ranks = {19};
  EXPECT_EQ(caps(q)["network.levels.0.up"].find("share their"), std::string::npos);
}

/// The links that an edit replaces have no parameters afterwards, and the new ones had none before.
TEST(Unbound, OfLinksOfAnotherKind) {
  Question q = ring("dgx-a100", 8, 64_MiB);
  q.set = {"node.links.pcie4-x16.kind=pcie5-x16"};
  EXPECT_TRUE(caps(q).at("node.links.pcie4-x16.kind").starts_with("nothing: no time here depends on it"));
  q.ranks = {16};
  EXPECT_EQ(caps(q).at("node.links.pcie4-x16.kind"), "network.bandwidth_GBps, 24.0 GB/s");
}

/// Each GPU has a NIC of its own already.
TEST(Unbound, SaysWhoUsesNics) {
  Question q = ring("dgx-h100", 16, 64_MiB);
  q.set = {"node.nics=16"};
  EXPECT_TRUE(caps(q).at("node.nics").starts_with("nothing: each rank sends by the NIC nearest to it; "));
}

TEST(Unbound, OfTwoPlatformsOfOneName) {
  Question q = ring("summit", 6, 1_MiB);
  q.platforms.push_back("summit");
  q.set = {"network.bandwidth_GBps=100"};
  const Answer a = ask(q);
  ASSERT_EQ(a.unbound.size(), 1u);
  EXPECT_EQ(a.unbound[0].parameter, "network.bandwidth_GBps");
}

TEST(Unbound, IsSaidInEveryFormat) {
  Question q = ring("summit", 6, 1_MiB);
  q.set = {"network.bandwidth_GBps=100"};
  const report::Report r = report::make(ask(q));
  EXPECT_EQ(r.head["unbound"][0]["parameter"], "network.bandwidth_GBps");
  EXPECT_TRUE(r.remark.starts_with("network.bandwidth_GBps does not change the answer: no "));
}

/// 14 steps of 1 us; 14 chunks of 131072 B at 0.08 ns, 7 of them reduced at 0.01 ns: 169.97568 us, of which
/// 14 are latency, 146.80064 bandwidth and 9.17504 reduction.
TEST(Sensitivity, IsEachPartsShare) {
  Question q = ring("flat", 8, 1_MiB);
  q.sensitivity = true;
  const Answer a = ask(q);
  ASSERT_TRUE(a.sensitivity);
  std::map<std::string, double> all;
  for (const Elasticity& e : *a.sensitivity) all[e.parameter] = e.elasticity;
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(a.sensitivity->front().parameter, "network.bandwidth_GBps");
  EXPECT_NEAR(all["network.bandwidth_GBps"], -146.80064 / 169.97568, 1e-4);
  EXPECT_NEAR(all["network.latency_us"], 14 / 169.97568, 1e-4);
  double sum = 0;
  for (const auto& [name, elasticity] : all) sum += std::abs(elasticity);
  EXPECT_NEAR(sum, 1, 1e-4);
  EXPECT_EQ(a.rows[0].sensitivity.size(), 3u);
}

Question tree_of_nccl() {
  Question q;
  q.collectives = {"allreduce"};
  q.platforms = {"dgx-h100"};
  q.policy = "nccl-2.28";
  q.ranks = {64};
  q.sizes = {1_MiB};
  return q;
}

/// A tree of LL128, whose time is that of NCCL's constants and of the wires: the shares make all of it. Twice
/// three hops up and down eight nodes take 8.5 us each, and more by the platform.
TEST(Sensitivity, IsAlsoThatOfNcclsConstants) {
  if (address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  Question q = tree_of_nccl();
  q.sensitivity = true;
  const Answer a = ask(q);
  std::map<std::string, double> all;
  double sum = 0;
  for (const Elasticity& e : *a.sensitivity) all[e.parameter] = e.elasticity, sum += std::abs(e.elasticity);
  EXPECT_NEAR(all["software.nccl.LL128.tree_hop_us"], 6 * 8.5e-6 / a.rows[0].prediction.time.value, 1e-3);
  EXPECT_NEAR(all["software.nccl.LL128.launch_us"], 14e-6 / a.rows[0].prediction.time.value, 1e-3);
  EXPECT_GT(all["nccl.LL128.step_us"], 0);
  EXPECT_LT(all["nccl.LL128.channel_GBps"], 0);
  EXPECT_FALSE(all.contains("software.nccl.LL128.hop_us"));  // of rings
  EXPECT_NEAR(sum, 1, 0.02);
}

/// One that the platform states is its parameter.
TEST(Sensitivity, NamesAStatedConstantOnce) {
  if (address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  Question q = tree_of_nccl();
  q.sensitivity = true;
  q.set = {"software.nccl.LL128.tree_hop_us=5"};
  const Answer a = ask(q);
  EXPECT_EQ(std::ranges::count(*a.sensitivity, "software.nccl.LL128.tree_hop_us", &Elasticity::parameter), 1);
}

/// A ring's hop is none of a tree's: which ones are is said.
TEST(Unbound, NamesTheCostsOfNcclThatDo) {
  if (address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  Question q = tree_of_nccl();
  q.set = {"software.nccl.LL128.hop_us=2"};
  EXPECT_TRUE(caps(q)
                  .at("software.nccl.LL128.hop_us")
                  .starts_with("nothing: no time here depends on it, but on software.nccl.LL128.tree_hop_us "
                               "and software.nccl.LL128.launch_us; limited by "));
}

TEST(Sensitivity, IsNotToldOfAnInterruptedAnswer) {
  Question q = ring("flat", 8, 1_MiB);
  q.sensitivity = true;
  std::atomic<bool> stop = false;
  Watch watch;
  watch.interrupt = &stop;
  watch.progress = [&](const std::string& words) { stop = words.starts_with("sensitivity"); };
  const Answer a = ask(q, watch);
  EXPECT_EQ(a.rows.size(), 1u);
  EXPECT_FALSE(a.sensitivity);
  EXPECT_EQ(a.notes.back(), "interrupted: what follows was not computed");
}

TEST(Sensitivity, SaysThatNothingMovesTheAnswer) {
  EXPECT_EQ(report::words(std::vector<Elasticity>()),
            "No parameter of the platform changes the answer by itself.\n");
  EXPECT_EQ(report::words(std::vector<Elasticity>{{"network.latency_us", 1}}), "");
}

/// A share is at most 1, and has room on one side only: two ranks' 1 KiB to the switch, 0.08 us of 2.16, are
/// there and back, half of which the share slows down.
TEST(Sensitivity, OfAWholeShare) {
  Question q = ring("flat", 4, 1_KiB);
  q.algorithm = "in-network", q.sensitivity = true;
  q.set = {"network.in_network_reduction.bandwidth_share=1"};
  const Answer a = ask(q);
  const auto share = std::ranges::find(*a.sensitivity, "network.in_network_reduction.bandwidth_share",
                                       &Elasticity::parameter);
  ASSERT_NE(share, a.sensitivity->end());
  EXPECT_NEAR(share->elasticity, -1024 / 12.5e3 / 2.16384, 3e-4);
  ASSERT_EQ(a.unbound.size(), 1u);  // as it was, and still of use
  EXPECT_EQ(a.unbound[0].capped_by, "network.latency_us, 1.00 us");
}

/// Blocks of 8 KiB stand at the limit: they are sent after asking only where it is lower.
/// NCCL gives channels over UPI 6 or 5 GB/s: with less than 6, a ring takes a fifth longer.
TEST(Sensitivity, TellsAStepFromASlope) {
  Question q;
  q.collectives = {"allreduce"}, q.platforms = {"rtx2080ti-cluster"}, q.policy = "nccl-2.18";
  q.ranks = {4}, q.sizes = {64_MiB}, q.sensitivity = true;
  const report::Report r = report::make(ask(q));
  EXPECT_EQ(report::as_json(r)["sensitivity"][0]["step"], true);
  EXPECT_TRUE(
      r.remark.starts_with("node.link_kinds.sockets.bandwidth_GBps moves the answer in a step: 1 % to its "
                           "slower side by +19.8 %, to its faster side by "))
      << r.remark;
  q.platforms = {"dgx-h100"}, q.policy = "fastest", q.algorithm = "ring";
  const Json slopes = report::as_json(report::make(ask(q)));
  ASSERT_FALSE(slopes["sensitivity"].empty());
  for (const Json& e : slopes["sensitivity"]) EXPECT_FALSE(e.contains("step")) << e;
}

TEST(Sensitivity, SeesALimitAtTheMessage) {
  Question q = ring("frontera", 8, 64_KiB);
  q.set = {"protocol.eager_limit_KiB=8"};
  q.memory = Memory::host;
  q.sensitivity = true;
  std::map<std::string, double> all;
  const Answer a = ask(q);
  for (const Elasticity& e : *a.sensitivity) all[e.parameter] = e.elasticity;
  EXPECT_LT(all["protocol.eager_limit_KiB"], -1);
}

TEST(Sensitivity, OfSeveralRowsIsOfTheirSum) {
  Question q = ring("flat", 8, 1_KiB);
  q.sizes = {1_KiB, 64_MiB};
  q.sensitivity = true;
  const Answer a = ask(q);
  EXPECT_EQ(a.rows[0].sensitivity.front().parameter, "network.latency_us");
  EXPECT_EQ(a.rows[1].sensitivity.front().parameter, "network.bandwidth_GBps");
  EXPECT_EQ(a.sensitivity->front().parameter, "network.bandwidth_GBps");
  const report::Report r = report::make(a);
  EXPECT_EQ(r.sections[1].key, "sensitivity");
  EXPECT_EQ(r.sections[1].rows[0]["parameter"], "network.bandwidth_GBps");
  q.platforms = {"flat", "summit"};
  EXPECT_EQ(complaint([&] { ask(q); }), "--sensitivity takes a single platform");
}

/// Law 7: a parameter at twice its value moves the time, or is reported with what caps it. Asked of one of
/// each platform's, which is another one of each.
TEST(WhatIf, AParameterMovesTheAnswerOrIsReported) {
  std::size_t turn = 0;
  std::set<std::string> moved, reported;
  testing::EachOrOneIn tried(2);
  for (const std::string& name : shipped_platforms()) {
    const Description d = load_platform(name);
    const std::vector<Parameter> all = d.parameters();
    const Parameter& one = all[turn++ * 7 % all.size()];
    if (!tried()) continue;
    if (one.unit == "share" || one.path.find(".pieces.") != std::string::npos) continue;
    Question q = ring(name, 4, 256_KiB);
    const Seconds before = ask(q).rows[0].prediction.time;
    q.set = {one.path + "=" + std::to_string(2 * one.value + (one.value == 0 ? 1 : 0))};
    const Answer after = ask(q);
    const bool moves = std::abs(after.rows[0].prediction.time / before - 1) > 1e-9;
    (moves ? moved : reported).insert(one.path);
    ASSERT_EQ(moves, after.unbound.empty()) << name << " " << q.set[0];
    if (!moves) {
      EXPECT_NE(after.unbound[0].capped_by, "") << name << " " << q.set[0];
    }
  }
  EXPECT_GE(moved.size(), 3u);
  EXPECT_GE(reported.size(), 3u);
}

}  // namespace
}  // namespace collcast
