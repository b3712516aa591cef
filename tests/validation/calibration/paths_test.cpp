// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

namespace collcast {
namespace {

using namespace testing;

Measurement collective(double bytes, double seconds) {
  Measurement m = measured(Timing::collective, 64, bytes, seconds, "run2");
  m.ranks = 256;
  m.line = static_cast<int>(bytes);
  return m;
}

TEST(SortByPath, ByNodesSocketsAndBuffers) {
  Measurement across = measured(Timing::latency, 1, 8, 1e-6);
  across.sockets = 2;
  Measurement mixed = measured(Timing::bandwidth, 2, 8, 1e-6);
  mixed.to = Memory::device;
  const auto sorted = sort_by_path({measured(Timing::latency, 1, 8, 1e-6), across, mixed});
  ASSERT_EQ(sorted.paths.size(), 3u);
  EXPECT_EQ(sorted.paths.count({Way::in_node, Memory::host, Memory::host}), 1u);
  EXPECT_EQ(sorted.paths.count({Way::across_sockets, Memory::host, Memory::host}), 1u);
  EXPECT_EQ(sorted.paths.count({Way::between_nodes, Memory::host, Memory::device}), 1u);
  EXPECT_EQ(name({Way::between_nodes, Memory::host, Memory::device}), "between nodes, host to device");
}

/// One pair is fitted; several share what a node has.
TEST(SortByPath, MorePairsApart) {
  Measurement four = measured(Timing::bandwidth, 2, 8, 1e-6);
  four.pairs = 4;
  const auto sorted = sort_by_path({four, measured(Timing::bandwidth, 2, 8, 1e-6)});
  const PathMeasurements& tables = sorted.paths.at({Way::between_nodes, Memory::host, Memory::host});
  EXPECT_EQ(tables.messages.size(), 1u);
  ASSERT_EQ(tables.more_pairs.size(), 1u);
  EXPECT_EQ(tables.more_pairs[0].pairs, 4);
  const auto alone = sort_by_path({four}).paths.at({Way::between_nodes, Memory::host, Memory::host});
  EXPECT_TRUE(alone.messages.empty());
  EXPECT_EQ(alone.more_pairs.size(), 1u);
}

/// What campaigns say in names: a note says that it was taken from there.
TEST(SortByPath, NodesFromNames) {
  for (const auto& [file, way] : {std::pair{"pt2pt_2nodes_h2h.csv", Way::between_nodes},
                                  {"pt2pt/intra_vnode/job.latency", Way::in_node},
                                  {"inter_vnode/job.latency", Way::between_nodes}}) {
    const auto sorted = sort_by_path({measured(Timing::latency, 0, 8, 1e-6, file)});
    EXPECT_EQ(sorted.paths.begin()->first.way, way) << file;
    EXPECT_EQ(sorted.notes.size(), 1u);
  }
  for (const std::string file : {"a.txt", "99999999999nodes.txt"})
    EXPECT_EQ(complaint([&] { sort_by_path({measured(Timing::latency, 0, 8, 1e-6, file)}); }),
              file + ":1: the table does not say on how many nodes it was measured; say FILE:nodes=N");
}

/// osu_multi_lat does not print its pairs; osu_mbw_mr of the same run does.
TEST(SortByPath, PairsFromTheRunsOtherTable) {
  Measurement latency = measured(Timing::latency, 2, 8, 1e-6, "job.latency");
  latency.pairs = 0;
  Measurement bandwidth = measured(Timing::bandwidth, 2, 8, 1e-6, "job.bandwidth");
  bandwidth.pairs = 4;
  const auto sorted = sort_by_path({latency, bandwidth});
  EXPECT_EQ(sorted.paths.begin()->second.latency[0].pairs, 4);
  EXPECT_EQ(complaint([&] { sort_by_path({latency}); }),
            "job.latency:1: the table does not say its pairs; say FILE:pairs=N");
}

TEST(SortByPath, CollectivesAreRefused) {
  EXPECT_EQ(
      complaint([] {
        sort_by_path({collective(1024, 1e-5), collective(2048, 2e-5)});
      }),
      "run2:1024: allreduce is a collective; latency, bandwidth, multi-pair and GPU copy tables calibrate a "
      "platform; with --policy nccl-2.18 tables of nccl-tests calibrate NCCL's software; collcast validate "
      "--measurements compares collectives with forecasts");
}

/// DeepIntrospect, 256 ranks, 4 per node: 148224 B take longer than 268288 B, at some MB/s.
TEST(SortByPath, WaitingIsRefusedWithAReason) {
  EXPECT_EQ(complaint([] {
              sort_by_path({collective(132608, 45.797e-3), collective(148224, 40.479e-3),
                            collective(268288, 16.848e-3), collective(591360, 39.108e-3)});
            }),
            "run2:148224: allreduce times that waiting dominates: 132608 bytes take 45.797 ms, 148224 bytes "
            "take 40.479 "
            "ms, and no size reaches 1 GB/s. A fit would take the ranks' skew for the network");
}

}  // namespace
}  // namespace collcast
