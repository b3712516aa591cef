// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/compare.hpp"

#include <gtest/gtest.h>

#include "forecast/library.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "validation/measurements/read.hpp"

namespace collcast::accuracy {
namespace {

using namespace literals;

std::vector<Measurement> table(const std::string& text) {
  return parse_measurements(text, "t.jsonl");
}

constexpr const char* both =
    R"({"collective": "allreduce", "ranks": 8, "message_bytes": 1048576, "time_s": 2e-4}
{"collective": "allreduce", "ranks": 8, "algorithm": "ring", "message_bytes": 4194304, "time_s": 1e-3}
)";

TEST(Compare, ByPolicyWhereTheTableNamesNoAlgorithm) {
  const Description d = load_platform("abci-v");
  const Comparison c = compare(table(both), d, "nccl-2.8");
  ASSERT_EQ(c.points.size(), 2u);
  const Call call{.ranks = 8, .message = 1_MiB, .ranks_per_node = 4};
  const Library::Forecast nccl =
      Library("nccl-2.8", d, 8).predict(Collective::allreduce, call, engine("path"));
  EXPECT_EQ(c.points[0].algorithm, "multi-ring");
  EXPECT_EQ(c.points[0].protocol, "LL128");
  EXPECT_EQ(c.points[0].times.predicted, nccl.prediction.time);
  EXPECT_NEAR(c.points[0].times.error(), nccl.prediction.time.value / 2e-4 - 1, 1e-12);
  EXPECT_EQ(c.points[1].algorithm, "ring");
  EXPECT_EQ(c.points[1].protocol, "");
}

TEST(Compare, WithTheSettingsOfTheTable) {
  std::vector<Measurement> told = table(both);
  told[0].settings = "algo=Tree,proto=LL", told[1].algorithm = "", told[1].settings = "speed=high";
  const Comparison c = compare(told, load_platform("abci-v"), "nccl-2.8");
  ASSERT_EQ(c.points.size(), 1u);
  EXPECT_EQ(c.points[0].algorithm, "double-tree");
  EXPECT_EQ(c.points[0].protocol, "LL");
  EXPECT_EQ(c.left_out.begin()->first,
            "policy: speed=high is not a setting of NCCL; expected algo=, proto= or channels=");
  EXPECT_TRUE(compare({told[0]}, load_platform("abci-v"), "nccl-2.8:algo=Ring").points.empty());
}

/// OSU prints the mean over the ranks: rank 2 is done after the first round, ranks 0 and 1 after the second.
TEST(Compare, MeanOverRanksWhereTheTableHasIt) {
  std::vector<Measurement> both_ways = table(
      R"({"collective": "broadcast", "algorithm": "knomial", "ranks": 3, "message_bytes": 0, "time_s": 1e-6}
{"collective": "broadcast", "algorithm": "knomial", "ranks": 3, "message_bytes": 0, "time_s": 1e-6}
)");
  both_ways[1].mean_over_ranks = true;
  const Comparison c = compare(both_ways, load_platform("flat"), "fastest");
  ASSERT_EQ(c.points.size(), 2u);
  EXPECT_NEAR(c.points[0].times.predicted.value, 2e-6, 1e-15);
  EXPECT_NEAR(c.points[1].times.predicted.value, 5e-6 / 3, 1e-15);
}

/// A MiB on 8 ranks takes a ring 14 us of latency, and halving and doubling 6 us: both move and reduce as
/// much.
TEST(Compare, TheFastestWithoutAPolicy) {
  const Comparison c = compare(table(both), load_platform("flat"), "fastest");
  ASSERT_EQ(c.points.size(), 2u);
  const double moved = 14 * 131072 / 12.5e9 + 7 * 131072 / 100e9;
  EXPECT_NE(c.points[0].algorithm, "ring");
  EXPECT_LE(c.points[0].times.predicted.value, 6e-6 + moved + 1e-12);
}

/// Open MPI 4.1 takes a linear barrier on 4 ranks, MPICH one of dissemination.
TEST(Compare, MeansLieBetweenTheBarriersOfThePolicy) {
  std::vector<Measurement> four =
      table(R"({"collective": "broadcast", "ranks": 4, "message_bytes": 8, "time_s": 1e-5})"
            "\n");
  four[0].mean_over_ranks = true;
  const Description d = load_platform("edr-cluster");
  for (const auto& [policy, barrier] : {std::pair{"openmpi-4.1", "linear"}, {"mpich", "dissemination"}}) {
    const Comparison c = compare(four, d, policy);
    ASSERT_EQ(c.points.size(), 1u);
    const Library::Forecast f =
        Library(policy, d, 4).predict(Collective::broadcast, {.ranks = 4, .message = 8_B}, engine("path"));
    const Algorithm& a = *f.prediction.algorithm;
    EXPECT_DOUBLE_EQ(c.points[0].times.predicted.value,
                     Forecaster(d, 4)
                         .mean_between_barriers(a, f.prediction.call, algorithm(Collective::barrier, barrier))
                         .value)
        << policy;
  }
}

/// Two ranks on each socket of Summit: GPUs 0, 1, 3 and 4, where a block is GPUs 0 to 3.
TEST(Compare, RanksSitOnAsManySocketsAsTheTableSays) {
  std::vector<Measurement> four = table(
      R"({"collective": "allreduce", "ranks": 4, "algorithm": "ring", "message_bytes": 1048576, "time_s": 1e-3})"
      "\n");
  const Description summit = load_platform("summit");
  const auto predicted = [&](int sockets) {
    four[0].sockets = sockets;
    return compare(four, summit, "fastest").points.at(0).times.predicted;
  };
  Placement even = Placement::listed;
  even.lines = {{1, 0, -1, 0}, {2, 0, -1, 1}, {3, 0, -1, 3}, {4, 0, -1, 4}};
  const Call call{.ranks = 4, .message = 1_MiB, .ranks_per_node = 1};
  const auto& ring = algorithm(Collective::allreduce, "ring");
  EXPECT_EQ(predicted(2), Forecaster(summit, 4, even).predict(ring, call, engine("path")).time);
  EXPECT_EQ(predicted(0), Forecaster(summit, 4).predict(ring, call, engine("path")).time);
  four[0].sockets = 3;
  EXPECT_EQ(compare(four, summit, "fastest").left_out.begin()->first,
            "t.jsonl: sockets=3: 4 ranks do not spread evenly over 1 x 3 sockets");
}

/// ABCI has 4 GPUs in a node: 8 ranks fill 2 nodes, or sit on 4 or 8 of them.
TEST(Compare, RanksSitOnAsManyNodesAsTheTableSays) {
  std::vector<Measurement> eight = table(
      R"({"collective": "allreduce", "ranks": 8, "algorithm": "ring", "message_bytes": 1048576, "time_s": 1e-3})"
      "\n");
  const Description abci = load_platform("abci-v");
  const auto predicted = [&](Rank nodes) {
    eight[0].nodes = nodes;
    return compare(eight, abci, "fastest").points.at(0).times.predicted;
  };
  const Call call{.ranks = 8, .message = 1_MiB, .ranks_per_node = 4};
  const auto& ring = algorithm(Collective::allreduce, "ring");
  EXPECT_EQ(predicted(0), Forecaster(abci, 8).predict(ring, call, engine("path")).time);
  EXPECT_EQ(predicted(2), predicted(0));
  Placement pairs = Placement::listed;
  for (Rank r = 0; r < 8; ++r) pairs.lines.push_back({1, r / 2, -1, r % 2});
  EXPECT_EQ(predicted(4), Forecaster(abci, 8, pairs).predict(ring, call, engine("path")).time);
  EXPECT_NE(predicted(4), predicted(0));
  for (const Rank nodes : {1, 3}) {
    eight[0].nodes = nodes;
    EXPECT_EQ(compare(eight, abci, "fastest").left_out.begin()->first,
              "t.jsonl: nodes=" + std::to_string(nodes) + ": 8 ranks do not spread evenly over " +
                  std::to_string(nodes) + " x 4 slots");
  }
}

/// What campaigns measure is compared with what they forecast: in host memory, with the parameters of the
/// call.
TEST(Compare, OurOwnMeasurementsKeepTheirCall) {
  const Description summit = load_platform("summit");
  const Comparison c = compare(
      table(
          R"({"collective": "broadcast", "algorithm": "chain", "parameters": {"segments": 4}, "ranks": 12, "root": 2, "message_bytes": 1048576, "time_s": 1e-3}
{"collective": "allreduce", "algorithm": "library", "parameters": {}, "ranks": 12, "message_bytes": 8, "time_s": 1e-5}
{"collective": "allreduce", "algorithm": "ring", "parameters": {}, "ranks": 12, "jobs": 2, "message_bytes": 8, "time_s": 1e-5}
)"),
      summit, "openmpi-4.1");
  ASSERT_EQ(c.points.size(), 2u);
  const Call call{.ranks = 12, .root = 2, .message = 1_MiB, .segments = 4};
  EXPECT_EQ(c.points[0].times.predicted,
            Forecaster(summit, 12, Placement::block, Memory::host)
                .predict(algorithm(Collective::broadcast, "chain"), call, engine("path"))
                .time);
  EXPECT_EQ(c.points[1].algorithm, "recursive-doubling");
  EXPECT_EQ(c.left_out.at("several jobs at once, which share what a node has"), 1u);
}

TEST(Compare, RefusesAnUnknownPolicy) {
  const auto refuses = [](const char* policy) {
    EXPECT_THROW(compare(table(both), load_platform("flat"), policy), InputError) << policy;
  };
  refuses("ncl-2.8"), refuses("nccl-2.8:algo=Rng"), refuses("mpich:algo=Ring"), refuses("");
}

TEST(Compare, WhatNcclWasToldNeedsAPolicyOfNccl) {
  std::vector<Measurement> told =
      table(R"({"collective": "allreduce", "ranks": 4, "message_bytes": 1024, "time_s": 1e-5})"
            "\n");
  told[0].settings = "algo=Ring";
  const Comparison c = compare(told, load_platform("edr-cluster"), "fastest");
  EXPECT_TRUE(c.points.empty());
  EXPECT_EQ(c.left_out.at("NCCL was told algo=Ring, and the policy is not NCCL's"), 1u);
  EXPECT_EQ(compare(told, load_platform("edr-cluster"), "nccl-2.8").points.size(), 1u);
}

TEST(Compare, SaysWhatItLeavesOut) {
  const Comparison c = compare(
      table(
          R"({"collective": "both-ways bandwidth", "ranks": 2, "message_bytes": 8, "time_s": 1e-6, "buffers": "host"}
{"collective": "allreduce", "ranks": 8, "algorithm": "quantum", "message_bytes": 8, "time_s": 1e-3}
)"),
      load_platform("flat"), "fastest");
  EXPECT_TRUE(c.points.empty());
  EXPECT_EQ(c.left_out.size(), 2u);
}

TEST(Compare, WantsTheNumberOfRanks) {
  Measurement m;
  m.message = 8_B, m.time = Seconds(1e-3), m.file = "t", m.line = 3;
  try {
    compare({m}, load_platform("flat"), "fastest");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "t:3: the table does not say how many ranks it had; write t:ranks=N");
  }
}

TEST(Compare, Bands) {
  const Comparison c = compare(table(both), load_platform("flat"), "fastest");
  EXPECT_EQ(in_band(c.points, 0).size(), 0u);
  EXPECT_EQ(in_band(c.points, 1).size(), 1u);
  EXPECT_EQ(in_band(c.points, 2).size(), 1u);
  EXPECT_EQ(in_band(c.points, 1, true).size(), 2u);
}

}  // namespace
}  // namespace collcast::accuracy
