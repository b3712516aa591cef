// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/forecast.hpp"

#include <gtest/gtest.h>

#include "engines/smpi/smpi.hpp"
#include "platforms/description/load.hpp"
#include "tests/folder.hpp"

namespace collcast::campaign {
namespace {

/// 2 ms and 12.5 MB/s; 100,000 B take 8 ms on the wire. Everything is eager.
Description testbed() {
  Description d = load_platform("testbed");
  set_all(d, {"protocol.eager_limit_KiB=100000", "devices.core.reduce_GBps=1000000",
              "network.switch_latency_us=0"});
  return d;
}

std::map<std::string, double> times(const std::string& row, const std::string& measure = "{}") {
  const Folder folder;
  Campaign c = parse_campaign(
      R"({"ranks": 4, "sizes": 100000, "points": )" + row + R"(, "measure": )" + measure +
          R"(, "nominal": {"platform": "testbed", "set": ["network.latency_us=500", "network.switch_latency_us=0"]}})",
      "c.json");
  std::map<std::string, double> all;
  for (const Predictor& p : predictors(testbed(), c, folder.path()))
    if (const auto time = p.predict(settle(c, testbed())[0])) all[p.name] = time->value;
  return all;
}

TEST(Forecast, ControlsAreWrongInTheirOwnWay) {
  // Root 0 sends 8 ms to 2 (k=2), then to 1; 2 sends to 3 when it has its own.
  auto t = times(R"({"collective": "broadcast", "algorithm": "knomial"})");
  EXPECT_NEAR(t["path"], 20e-3, 1e-7);            // 2 x (2 + 8) ms
  EXPECT_NEAR(t["bandwidth-only"], 16e-3, 1e-7);  // 2 x 8 ms
  EXPECT_NEAR(t["nominal"], 18e-3, 1e-7);         // 2 x (1 + 8) ms: half of the latency
  if (!t.contains("simgrid")) GTEST_SKIP() << "built without SimGrid";
  EXPECT_NEAR(t["simgrid"], 20e-3, 1e-7);
  EXPECT_GT(t["fair-sharing"], 25e-3);  // 0's two messages share its link: both are through after 16 ms
}

TEST(Forecast, RanksThatComputeBringNothingOn) {
  // 0 begins its message to 2 and computes for 20 ms, as do all; then it sends to 1, and 2 to 3.
  const std::string broadcast = R"({"collective": "broadcast", "algorithm": "knomial"})";
  auto t = times(broadcast, R"({"overlap_workers": 0})");
  EXPECT_NEAR(t["path"], 30e-3, 1e-7);
  EXPECT_NEAR(t[all_hidden], 20e-3, 1e-7);
  EXPECT_NEAR(t["nothing-hidden"], 40e-3, 1e-7);
  EXPECT_NEAR(times(broadcast, R"({"overlap_workers": 1})")["path"], 20e-3, 1e-7);
}

TEST(Forecast, HalfDuplexRanksSendOrReceive) {
  auto t = times(R"({"collective": "sendrecv", "algorithm": "direct", "ranks": 2})");
  EXPECT_NEAR(t["path"], 10e-3, 1e-7);
  EXPECT_NEAR(t["half-duplex"], 20e-3, 1e-7);  // one message after the other
}

TEST(Forecast, SmpiSaysNothingOfMulticasts) {
  auto t = times(R"({"collective": "broadcast", "algorithm": "multicast"})");
  EXPECT_NEAR(t["path"], 10e-3, 1e-4);
  EXPECT_FALSE(t.contains("smpi"));
}

TEST(Forecast, SendersOfIpMulticastsHearFromAll) {
  // 10 ms to all; then each of three receivers says so, an empty message of 2 ms.
  auto t =
      times(R"({"collective": "broadcast", "algorithm": "multicast"})", R"({"multicast": "239.1.2.3:7000"})");
  EXPECT_NEAR(t["path"], 12e-3, 1e-4);
  EXPECT_NEAR(t["path"] - times(R"({"collective": "broadcast", "algorithm": "multicast"})")["path"], 2e-3,
              1e-9);
  if (t.contains("simgrid")) {
    EXPECT_NEAR(t["simgrid"], t["path"], 1e-6);
  }
}

TEST(Forecast, SmpiPlaysTheSameMessages) {
  if (!smpi::available()) GTEST_SKIP() << "there is no smpirun";
  auto t = times(R"({"collective": "allreduce", "algorithm": "ring"})");
  EXPECT_NEAR(t["path"], 6 * 4e-3, 1e-6);  // 6 steps of 2 ms + 25,000 B
  EXPECT_NEAR(t["smpi"], t["path"], 1e-2 * t["path"]);
  EXPECT_GT(t["smpi-defaults"], 1.5 * t["path"]);
}

TEST(Forecast, SegmentsLeftOpenAreTheBest) {
  const Campaign c = parse_campaign(
      R"({"ranks": 4, "sizes": "1MiB", "points": {"collective": "broadcast", "algorithm": "chain"}})",
      "c.json");
  EXPECT_GT(settle(c, testbed())[0].call.segments, 1);
}

}  // namespace
}  // namespace collcast::campaign
