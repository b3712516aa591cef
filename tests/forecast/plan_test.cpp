// SPDX-License-Identifier: Apache-2.0
#include "forecast/plan.hpp"

#include <gtest/gtest.h>

#include "forecast/report/plan.hpp"
#include "tests/complaint.hpp"

namespace collcast::plan {
namespace {

using collcast::testing::complaint;

Candidate on(const std::string& platform, int nodes, double hours, double price) {
  Candidate c{.platform = platform, .ranks = 8 * nodes, .nodes = nodes};
  c.time = Seconds(3600 * hours), c.low = 0.9 * c.time, c.high = 1.2 * c.time;
  c.efficiency = 0.8;
  c.memory = Bytes(30e9), c.capacity = Bytes(40e9);
  c.price_USD = price;
  c.power_W = 5000;
  return c;
}

TEST(Plan, TheCheapestThatKeepsToTheLimits) {
  // 2 x 10 h x 20 = 400 USD; 8 x 3 h x 20 = 480 USD; 4 x 4 h x 40 = 640 USD.
  const std::vector<Candidate> all{on("small", 2, 10, 20), on("large", 8, 3, 20), on("dear", 4, 4, 40)};
  std::vector<Judged> judged = judge(all, {}, Aim::cost);
  EXPECT_EQ(judged[0].candidate.platform, "small");
  EXPECT_DOUBLE_EQ(*judged[0].cost_USD, 400);
  EXPECT_DOUBLE_EQ(*judged[0].worst_cost_USD, 480);  // 12 h
  EXPECT_DOUBLE_EQ(*judged[0].energy_kWh, 100);      // 2 x 5 kW x 10 h
  EXPECT_EQ(judged[1].candidate.platform, "large");
  EXPECT_EQ(judged[2].candidate.platform, "dear");
  EXPECT_TRUE(on_frontier(judged, judged[0]));
  EXPECT_TRUE(on_frontier(judged, judged[1]));
  EXPECT_FALSE(on_frontier(judged, judged[2]));  // `large` is faster and cheaper

  judged = judge(all, {.time_s = 4 * 3600}, Aim::cost);
  EXPECT_EQ(judged[0].candidate.platform, "large");
  EXPECT_TRUE(judged[0].safe);  // 3.6 h at the slow end
  EXPECT_EQ(judged[0].margins[0].limit, "time");
  EXPECT_DOUBLE_EQ(judged[0].margins[0].used, 0.75);
  EXPECT_DOUBLE_EQ(judged[0].margins[1].used, 0.75);  // memory
  EXPECT_EQ(judged[1].candidate.platform, "dear");
  EXPECT_TRUE(judged[1].feasible);
  EXPECT_FALSE(judged[1].safe);  // 4.8 h
  EXPECT_FALSE(judged[2].feasible);
  EXPECT_DOUBLE_EQ(judged[2].margins[0].used, 2.5);

  EXPECT_EQ(judge(all, {}, Aim::time)[0].candidate.platform, "large");
  EXPECT_EQ(judge(all, {}, Aim::nodes)[0].candidate.platform, "small");
  EXPECT_EQ(judge(all, {.power_W = 39e3}, Aim::time)[0].candidate.platform, "dear");  // 8 x 5 kW are too much
  EXPECT_FALSE(judge(all, {.efficiency = 0.9}, Aim::time)[0].feasible);
  const Judged efficient =
      judge(all, {.efficiency = 0.7}, Aim::time)[0];  // 0.8, or 0.8 / 1.2 at the slow end
  EXPECT_TRUE(efficient.feasible);
  EXPECT_FALSE(efficient.safe);
  EXPECT_DOUBLE_EQ(efficient.margins[0].used_at_worst, 0.7 / 0.8 * 1.2);
}

/// 8 x 1.0004 h x 10 = 80.03 USD is 80.0 as shown, like 2 x 4 h x 10 = 80 USD, and takes a quarter of the
/// time.
TEST(Plan, TheFasterOfEqualCosts) {
  const std::vector<Judged> judged = judge({on("slow", 2, 4, 10), on("fast", 8, 1.0004, 10)}, {}, Aim::cost);
  EXPECT_EQ(judged[0].candidate.platform, "fast");
  EXPECT_EQ(judge({on("slow", 2, 4, 10), on("fast", 8, 1.01, 10)}, {}, Aim::cost)[0].candidate.platform,
            "slow");
}

/// Of the same time, to three digits, the cheaper; of the same cost, too, what takes less power.
TEST(Plan, TiesOfTimeAreBrokenByCostAndPower) {
  Candidate dear = on("dear", 1, 2, 11), cheap = on("cheap", 1, 2.0001, 10), lean = on("lean", 1, 2.0002, 10);
  lean.power_W = 4000;
  const auto first = [](const std::vector<Candidate>& all) {
    return judge(all, {}, Aim::time)[0].candidate.platform;
  };
  EXPECT_EQ(first({dear, cheap}), "cheap");
  EXPECT_EQ(first({cheap, lean}), "lean");
  lean.price_USD.reset();  // costs do not compare
  EXPECT_EQ(first({dear, cheap, lean}), "lean");
  EXPECT_EQ(first({dear, on("faster", 1, 1.9, 20)}), "faster");
}

/// A step of computation alone is as efficient on a slow GPU as on a fast one.
TEST(Plan, AtTheSlowEndTheProcessorAloneIsSlowerToo) {
  Candidate c = on("a", 1, 1, 1);
  c.slower_alone = 1.2;  // as c.high
  const Judged j = judge({c}, {.efficiency = 0.79}, Aim::time)[0];
  EXPECT_TRUE(j.safe);
  EXPECT_DOUBLE_EQ(j.margins[0].used_at_worst, 0.79 / 0.8);
  c.slower_alone = 1.1;  // communication is slower still
  EXPECT_FALSE(judge({c}, {.efficiency = 0.79}, Aim::time)[0].safe);
  c.slower_alone = 1.3;
  EXPECT_DOUBLE_EQ(judge({c}, {.efficiency = 0.79}, Aim::time)[0].margins[0].used_at_worst, 0.79 / 0.8);
}

TEST(Plan, CandidatesAreNamedByWhatDiffers) {
  Candidate c = on("a", 1, 1, 1);
  EXPECT_EQ(c.name(), "a");
  c.framework = "zero3", c.batch = "64";
  EXPECT_EQ(c.name(), "a, zero3, batch 64");
}

TEST(Plan, WhatDoesNotFitOrHasNoForecastIsLast) {
  Candidate full = on("full", 1, 1, 1), refused = on("refused", 1, 1, 1);
  full.memory = Bytes(41e9);
  refused.refused = "holds 4 ranks";
  const std::vector<Judged> judged = judge({refused, full, on("fits", 1, 5, 1)}, {}, Aim::cost);
  EXPECT_EQ(judged[0].candidate.platform, "fits");
  EXPECT_EQ(judged[1].candidate.platform, "full");
  EXPECT_EQ(judged[1].margins[0].limit, "memory");
  EXPECT_EQ(judged[2].candidate.platform, "refused");
  // What does not fit beats nobody.
  EXPECT_TRUE(on_frontier(judged, judged[0]));
  EXPECT_FALSE(on_frontier(judged, judged[1]));
  const report::Graph graph = report::graph(judged, {});
  ASSERT_EQ(graph.curves[0].points.size(), 1u);
  EXPECT_EQ(graph.curves[0].points[0].x, 5);
}

/// Of two that take as long the cheaper one, of two that cost as much the faster.
TEST(Plan, WhatIsBetterInOneWayAloneBeats) {
  const std::vector<Judged> judged =
      judge({on("a", 1, 2, 10), on("dearer", 1, 2, 11), on("slower", 1, 4, 5)}, {}, Aim::time);
  for (const Judged& j : judged) EXPECT_EQ(on_frontier(judged, j), j.candidate.platform == "a");
}

TEST(Plan, PricesAreNotInvented) {
  Candidate c = on("bare", 1, 1, 1);
  c.price_USD.reset(), c.power_W.reset();
  EXPECT_EQ(complaint([&] { judge({c}, {}, Aim::cost); }),
            "bare does not say what a node costs per hour; --price bare=X does");
  EXPECT_EQ(complaint([&] { judge({c}, {.power_W = 1.0}, Aim::time); }),
            "bare does not say what power a node takes; --power bare=X does");
  EXPECT_EQ(complaint([] { parse_aim("speed"); }), "aim 'speed' is not cost, energy, time or nodes");
  EXPECT_FALSE(judge({c}, {}, Aim::time)[0].cost_USD);
}

}  // namespace
}  // namespace collcast::plan
