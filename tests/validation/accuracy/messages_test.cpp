// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "validation/accuracy/compare.hpp"

namespace collcast::accuracy {
namespace {

Measurement message(Timing timing, double bytes, double seconds) {
  Measurement m;
  m.timing = timing;
  m.message = Bytes(bytes);
  m.time = Seconds(seconds);
  m.nodes = 2;
  m.from = m.to = Memory::host;
  m.file = "table";
  return m;
}

/// Textbook costs between two nodes: 1 us for a message's send and receive, 2 us on its way, 10 GB/s.
Description textbook() {
  Description d = load_platform("edr-cluster");
  set_all(d, {"network.bandwidth_GBps=10", "network.latency_us=0", "network.switch_latency_us=0",
              "node.link_kinds.pcie3-x16.latency_us=0", "software.between_nodes.host.overhead_us=1",
              "software.between_nodes.host.receive_overhead_us=1", "software.between_nodes.host.latency_us=2",
              "software.between_nodes.host.gap_us=0", "software.between_nodes.host.eager_limit_KiB=1048576"});
  return d;
}

TEST(Messages, HalfARoundTripIsOverheadsLatencyAndBytes) {
  const Comparison c = compare({message(Timing::latency, 10000, 4e-6)}, textbook(), "fastest");
  ASSERT_EQ(c.points.size(), 1u);
  EXPECT_EQ(c.points[0].algorithm, "between nodes, host to host");
  EXPECT_EQ(c.points[0].measurement.ranks, 2);
  EXPECT_NEAR(c.points[0].times.predicted.value, 5e-6, 1e-12);
  EXPECT_NEAR(c.points[0].times.error(), 0.25, 1e-6);
}

TEST(Messages, AWindowIsLimitedByThePort) {
  Measurement m = message(Timing::bandwidth, 1e6, 1e-4);
  m.window = 64;
  const Comparison c = compare({m}, textbook(), "fastest");
  // 63 messages of 100 us, then one (104 us) and the reply of 4 B (4 us) alone; the mean of 64.
  EXPECT_NEAR(c.points.at(0).times.predicted.value, (63 * 100 + 104 + 4.0004) / 64 * 1e-6, 1e-12);
}

TEST(Messages, WhatIsNotPredictedIsCounted) {
  Measurement many = message(Timing::latency, 8, 1e-6), copy = message(Timing::copy, 8, 1e-6);
  many.pairs = 4;
  const Comparison c = compare({many, copy, copy}, textbook(), "fastest");
  EXPECT_TRUE(c.points.empty());
  EXPECT_EQ(c.left_out.at("several pairs of ranks that share what a node has"), 1u);
  EXPECT_EQ(c.left_out.at("copy is not predicted"), 2u);
}

TEST(Messages, TablesSayWhereTheyWereMeasured) {
  Measurement nowhere = message(Timing::latency, 8, 1e-6);
  nowhere.from.reset();
  EXPECT_THROW(compare({nowhere}, textbook(), "fastest"), InputError);
}

}  // namespace
}  // namespace collcast::accuracy
