// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "forecast/report/plot.hpp"
#include "support/error.hpp"
#include "tests/folder.hpp"
#include "validation/report/figure.hpp"
#include "validation/report/sections.hpp"

namespace collcast::report {
namespace {

namespace fs = std::filesystem;

/// A stored campaign of two algorithms, the library's own, and one point that is not measured.
class CampaignReport : public ::testing::Test {
 protected:
  CampaignReport() {
    write("campaign.json",
          R"({"description": "small", "predictors": [
      {"name": "path", "role": "engine", "what": "critical path", "bounds": {"mean": 0.05, "worst": 0.08}},
      {"name": "half-duplex", "role": "control", "what": "wrong"}]})");
    const std::string ring =
        R"({"collective":"allreduce","algorithm":"ring","parameters":{},"ranks":4,"root":null,)";
    const std::string tree =
        R"({"collective":"allreduce","algorithm":"recursive-doubling","parameters":{},"ranks":4,"root":null,)";
    const std::string own =
        R"({"collective":"allreduce","algorithm":"library","parameters":{},"ranks":4,"root":null,)";
    write("prediction.jsonl", ring + R"("message_bytes":64,"predicted_s":{"path":1.1,"half-duplex":2}})" +
                                  "\n" + tree +
                                  R"("message_bytes":64,"predicted_s":{"path":1.2,"half-duplex":3}})" + "\n" +
                                  own + R"("message_bytes":64,"predicted_s":{}})" + "\n" + ring +
                                  R"("message_bytes":128,"predicted_s":{"path":1,"half-duplex":1}})" + "\n");
    write(
        "measured.jsonl",
        ring +
            R"("message_bytes":64,"time_s":1.0,"low_s":0.99,"high_s":1.01,"library":"MPI 1","provenance":{"commit":"abc"}})" +
            "\n" + tree + R"("message_bytes":64,"time_s":0.8,"repetitions":6,"late_starts":5})" + "\n" + own +
            R"("message_bytes":64,"time_s":1.6})" + "\n");
  }
  void write(const char* name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  const Folder own_;
  const fs::path folder_ = own_.path();
};

TEST_F(CampaignReport, ErrorsAreSignedAndRelativeToWhatWasMeasured) {
  const Results r = read_results({folder_});
  EXPECT_EQ(r.all.size(), 3u);
  EXPECT_EQ(r.unmeasured, 1u);
  const Errors e = errors(predicted(r), "path");
  EXPECT_EQ(e.points, 2u);
  EXPECT_NEAR(e.mean_absolute, 0.3, 1e-12);  // +10 % and +50 %
  EXPECT_NEAR(e.mean, 0.3, 1e-12);
  EXPECT_NEAR(e.worst, 0.5, 1e-12);
  EXPECT_EQ(e.worst_of->point.algorithm->name, "recursive-doubling");
  EXPECT_NEAR(e.mean_factor, std::sqrt(1.1 * 1.5) - 1, 1e-12);
  EXPECT_FALSE(within_bounds(r));
}

TEST_F(CampaignReport, AnEngineWithoutBoundsIsShownOnly) {
  write("campaign.json", R"({"predictors": [{"name": "path", "role": "engine", "what": "critical path"}]})");
  const Results r = read_results({folder_});
  EXPECT_EQ(keeps_bounds(r, "path"), std::nullopt);
  EXPECT_TRUE(within_bounds(r));
  EXPECT_NE(markdown("", sections(r)).find("| path | engine | 2 | 30.0 % |"), std::string::npos);
}

TEST_F(CampaignReport, FoldersOfEqualBoundsAreTakenTogether) {
  const fs::path other = folder_ / "exact";
  fs::create_directories(other);
  for (const char* file : {"campaign.json", "prediction.jsonl", "measured.jsonl"})
    fs::copy(folder_ / file, other);
  // One point, exact: 10 %, 50 % and 0 % are 20 % on average.
  std::ofstream(other / "measured.jsonl")
      << R"({"collective":"allreduce","algorithm":"ring","ranks":4,"message_bytes":128,"time_s":1})" << '\n';
  const auto bounded = [&](const fs::path& folder, const char* mean) {
    std::ofstream(folder / "campaign.json")
        << R"({"predictors": [{"name": "path", "role": "engine", "what": "", "bounds": {"worst": 0.6, "mean": )"
        << mean << "}}]}";
  };
  bounded(folder_, "0.21");
  bounded(other, "0.21");
  const Results together = read_results({folder_, other});
  EXPECT_EQ(keeps_bounds(together, "path"), true);
  EXPECT_EQ(keeps_bounds(together, "path", 0), false);
  EXPECT_EQ(keeps_bounds(together, "path", 1), true);
  bounded(other, "0.22");
  EXPECT_EQ(keeps_bounds(read_results({folder_, other}), "path"), false);
}

/// The first of two runs is not measured: what is said of the second is its own.
TEST_F(CampaignReport, ARunThatIsNotMeasuredHasNoErrorsAndNoOrigin) {
  const fs::path other = folder_ / "later";
  fs::create_directories(other);
  for (const char* file : {"campaign.json", "prediction.jsonl"}) fs::copy(folder_ / file, other);
  const Results r = read_results({other / "", folder_});
  EXPECT_EQ(r.provenance.size(), 2u);
  const std::string page = markdown("", sections(r));
  const std::string name = folder_name(r, 1);
  EXPECT_NE(page.find("| later | - | - | 5.00 %, 8.00 %: - | 0 | small |"), std::string::npos) << page;
  EXPECT_NE(page.find("| later | - | - |\n| " + name + " | abc | MPI 1 |"), std::string::npos) << page;
  for (const Graph& g : picture(r, "path").graphs)
    EXPECT_NE(g.title.find("(" + name + ")"), std::string::npos) << g.title;
  EXPECT_NE(picture(read_results({folder_ / "", other}), "path").graphs[0].title.find("(" + name + ")"),
            std::string::npos);
}

TEST_F(CampaignReport, OverlapIsComparedInShares) {
  const std::string point = R"({"collective":"allreduce","algorithm":"ring","ranks":4,"message_bytes":64,)";
  write("campaign.json", R"({"predictors": [{"name": "path", "role": "engine", "what": "critical path",
      "bounds": {"mean": 1, "worst": 1, "overlap": 0.1}}]})");
  // 1.25 s of 1 s and 1 s together hide three quarters of the collective; 1.8 s of 1.2 s each, one half.
  write("prediction.jsonl", point + R"("predicted_s":{"path":1.8},"predicted_pure_s":1.2})" + "\n");
  write("measured.jsonl", point + R"("time_s":1.25,"pure_s":1,"compute_s":1})" + "\n");
  const Results r = read_results({folder_});
  EXPECT_NEAR(r.all[0].overlap_error("path"), -0.25, 1e-12);
  EXPECT_EQ(keeps_bounds(r, "path"), false);
  EXPECT_NE(markdown("", sections(r)).find("| 75.0 % | 50.0 % | -25.0 |"), std::string::npos);
  EXPECT_EQ(Hiding({1, 1}).share(0.9), 1);
  EXPECT_EQ(Hiding({1, 1}).share(2.5), 0);
}

TEST_F(CampaignReport, WhatIsPredictedFlatIsSpreadAsMeasured) {
  std::string predictions, measurements;
  const auto add = [&](const char* algorithm, int ranks, double predicted, double measured) {
    const std::string point = R"({"collective":"broadcast","algorithm":")" + std::string(algorithm) +
                              R"(","message_bytes":64,"ranks":)" + std::to_string(ranks);
    predictions += point + R"(,"predicted_s":{"path":)" + std::to_string(predicted) + "}}\n";
    measurements += point + R"(,"time_s":)" + std::to_string(measured) + "}\n";
  };
  add("multicast", 3, 1, 1.01);
  add("multicast", 9, 1, 1.03);
  add("multicast", 5, 1, 1.00);
  add("flat", 3, 2, 2);
  add("flat", 9, 8, 8);
  write("prediction.jsonl", predictions);
  write("measured.jsonl", measurements);
  const Results results = read_results({folder_});
  const auto all = flat(results, "path");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].spread(), 0.03, 1e-12);
}

TEST_F(CampaignReport, RegretIsOfTheAlgorithmThatPredictionPicks) {
  const auto all = regrets(read_results({folder_}), "path");
  ASSERT_EQ(all.size(), 1u);  // 128 B was not measured
  EXPECT_EQ(all[0].picked, "ring");
  EXPECT_EQ(all[0].best, "recursive-doubling");
  EXPECT_NEAR(all[0].regret(), 0.25, 1e-12);
  EXPECT_NEAR(*all[0].library_s, 1.6, 1e-12);
}

TEST_F(CampaignReport, SaysAllOfIt) {
  const Results r = read_results({folder_, folder_});
  const std::string text = markdown("title", sections(r));
  for (const char* words :
       {"# title", "| path | engine | 4 | 30.0 % |", "half-duplex: wrong.", "not kept",
        "Mean regret 25.0 % over 2 choices", "2 points were predicted but are not measured", "| abc |",
        "MPI 1", "allreduce library, 4 ranks, 64 B", "| 6 (5 began late) |"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
}

TEST_F(CampaignReport, HtmlStandsAloneAndEscapes) {
  const Results r = read_results({folder_});
  const std::string page = html("a < b", {{"t & u", "w", {{"h"}, {"<c>"}}, figures(r, "path")}}, Json());
  EXPECT_NE(page.find("<h1>a &lt; b</h1>"), std::string::npos);
  EXPECT_NE(page.find("<td>&lt;c&gt;</td>"), std::string::npos);
  EXPECT_NE(page.find("predicted over measured"), std::string::npos);
  EXPECT_NE(page.find("ring, measured"), std::string::npos);
  for (const char* outside : {"http://", "https://", "<script src", "<link"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST_F(CampaignReport, FigureHasEveryAlgorithm) {
  if (!can_plot()) GTEST_SKIP() << "there is no gnuplot";
  const Results r = read_results({folder_});
  const std::string svg = plotted(picture(r, "path"), "svg");
  for (const char* name : {"ring", "recursive-doubling", "library", "allreduce, 4 ranks"})
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  EXPECT_TRUE(plotted(picture(r, "path"), "pngcairo").starts_with("\x89PNG"));
}

TEST_F(CampaignReport, DamageIsNamed) {
  write("measured.jsonl", "{\"collective\":\"allreduce\",\"algorithm\":\"ring\",\"ranks\":4}\n");
  try {
    read_results({folder_});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), (folder_ / "measured.jsonl").string() + ":1: 'time_s' is missing");
  }
  EXPECT_THROW(read_results({"/nowhere"}), InputError);
  write("campaign.json", "[]");
  EXPECT_THROW(read_results({folder_}), InputError);
}

}  // namespace
}  // namespace collcast::report
