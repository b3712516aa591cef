// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "forecast/answer.hpp"
#include "forecast/report/answer.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"

namespace collcast {
namespace {

using namespace literals;
using collcast::testing::complaint;

Question allreduce(const std::string& algorithm = "auto") {
  Question q;
  q.collectives = {"all_reduce"};
  q.algorithm = algorithm;
  q.platforms = {"flat", "summit"};
  q.ranks = {4, 8};
  q.sizes = {1_KiB, 1_MiB};
  return q;
}

TEST(Ask, ARowForEachPlatformRanksAndSize) {
  const Answer a = ask(allreduce("ring"));
  ASSERT_EQ(a.rows.size(), 8u);
  EXPECT_EQ(a.collectives, std::vector<std::string>{"allreduce"});
  EXPECT_EQ(a.rows[0].platform, "flat");
  EXPECT_EQ(a.rows[4].platform, "summit");
  EXPECT_EQ(a.rows[3].prediction.call.ranks, 8);
  EXPECT_EQ(a.rows[3].prediction.call.message, 1_MiB);
  // 14 steps of 1 us; 14 chunks of 131072 B at 0.08 ns, 7 of them reduced at 0.01 ns.
  EXPECT_NEAR(a.rows[3].prediction.time.value, 169.97568e-6, 1e-12);
  for (const Answer::Row& r : a.rows) EXPECT_EQ(r.engine, "path");
}

TEST(Ask, TheFastestIsNoSlowerThanAny) {
  Question q = allreduce();
  q.platforms = {"flat"};
  const Answer best = ask(q);
  q.algorithm = "all";
  const Answer all = ask(q);
  for (const Answer::Row& b : best.rows)
    for (const Answer::Row& r : all.rows)
      if (r.prediction.call.ranks == b.prediction.call.ranks &&
          r.prediction.call.message == b.prediction.call.message && r.prediction.algorithm->exact) {
        const Demands d = demands(*r.prediction.algorithm);
        if (!d.multicast && !d.reduction) {
          EXPECT_LE(b.prediction.time, r.prediction.time);
        }
      }
}

TEST(Ask, ALibrarySaysWhy) {
  Question q = allreduce();
  q.policy = "mpich";
  const Answer a = ask(q);
  EXPECT_EQ(a.rows[0].prediction.algorithm->name, "recursive-doubling");
  for (const Answer::Row& r : a.rows) EXPECT_NE(r.why, "");
}

TEST(Ask, MayBeInterrupted) {
  std::atomic<bool> stop = false;
  int told = 0;
  Watch watch;
  watch.interrupt = &stop;
  watch.progress = [&](const std::string&) { stop = ++told == 3; };
  const Answer a = ask(allreduce("ring"), watch);
  EXPECT_EQ(a.rows.size(), 3u);
  EXPECT_EQ(a.notes.back(), "interrupted: what follows was not computed");
}

TEST(Ask, RefusesWhatMakesNoSense) {
  Question q = allreduce();
  q.engine = "magic";
  EXPECT_NE(complaint([&] { ask(q); }).find("unknown engine 'magic'; --engine takes"), std::string::npos);
  q = allreduce();
  q.sizes.clear();
  EXPECT_EQ(complaint([&] { ask(q); }), "--size is missing");
}

/// The same numbers in each format.
TEST(Report, HasOneSetOfRows) {
  Question q = allreduce("ring");
  q.ranks = {8};
  q.sizes = {1_MiB};
  const report::Report r = report::make(ask(q));
  const auto json = parse_json(render(r, report::Format::json));
  EXPECT_EQ(json["platform"], "flat, summit");
  ASSERT_EQ(json["predictions"].size(), 2u);
  for (const auto& row : json["predictions"])
    for (const char* key :
         {"collective", "algorithm", "parameters", "ranks", "root", "message_bytes", "time_s", "low_s",
          "high_s", "lower_bound_s", "algbw_GBps", "busbw_GBps", "limited_by", "calibrated", "engine",
          "transport", "limited_by_share", "transferred", "platform"})
      EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_NE(render(r, report::Format::table).find("170 us"), std::string::npos);
  EXPECT_NE(render(r, report::Format::markdown).find("| flat | 8 | 1 MiB | ring | 170 us |"),
            std::string::npos)
      << render(r, report::Format::markdown);
  EXPECT_EQ(render(r, report::Format::csv).find("collective,algorithm,parameters,"), 0u);
}

}  // namespace
}  // namespace collcast
