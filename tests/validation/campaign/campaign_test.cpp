// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/campaign.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/error.hpp"
#include "support/input_file.hpp"

namespace collcast::campaign {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_campaign(text, "c.json");
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

std::string with_row(const std::string& row) {
  return R"({"ranks": 4, "sizes": "1KiB", "points": [)" + row + "]}";
}

TEST(CampaignFile, ARowIsTheProductOfItsLists) {
  // 2 rank counts x 2 radices x 3 sizes, and one point of the second row's own.
  const Campaign c = parse_campaign(
      R"({"ranks": [4, 8], "sizes": ["1KiB", 100, "1MB"], "bounds": {"simgrid": {"mean": 0.03}},
          "points": [{"collective": "broadcast", "algorithm": "knomial", "radix": [2, 4]},
                     {"collective": "allreduce", "algorithm": "library", "ranks": 6, "jobs": 2, "sizes": 8}]})",
      "c.json");
  ASSERT_EQ(c.points.size(), 13u);
  EXPECT_EQ(describe(c.points[0].point), "broadcast knomial k=2, 4 ranks, 1 KiB");
  EXPECT_EQ(describe(c.points[11].point), "broadcast knomial k=4, 8 ranks, 976.6 KiB");
  EXPECT_EQ(c.points[12].point.ranks(), 6);
  EXPECT_EQ(c.points[12].point.call.ranks, 3);
  ASSERT_EQ(c.bounds.size(), 1u);  // the critical path is held to nothing
  EXPECT_EQ(c.bounds.at("simgrid").mean, 0.03);
  EXPECT_EQ(c.bounds.at("simgrid").worst, 0.10);
}

TEST(CampaignFile, SaysHowPointsAreMeasured) {
  const Campaign c = parse_campaign(R"({"ranks": 4, "sizes": 8, "bounds": {"path": {"overlap": 0.2}},
      "measure": {"multicast": "239.1.2.3:7000%eth0", "overlap_workers": 2},
      "points": {"collective": "allreduce", "algorithm": "ring"}})",
                                    "c.json");
  EXPECT_EQ(c.settings.multicast, "239.1.2.3:7000%eth0");
  EXPECT_EQ(c.settings.processes(4), 12);
  EXPECT_EQ(c.bounds.at("path").overlap, 0.2);
  EXPECT_EQ(MeasurementSettings{}.processes(4), 4);
}

TEST(CampaignFile, SegmentsAreGivenOrLeftOpen) {
  const Campaign c = parse_campaign(with_row(R"({"collective": "broadcast", "algorithm": "chain"},
      {"collective": "broadcast", "algorithm": "chain", "sizes": "10KiB", "segment": "4KiB"})"),
                                    "c.json");
  EXPECT_EQ(c.points[0].segments, PlannedPoint::Segments::best);
  EXPECT_EQ(c.points[1].segments, PlannedPoint::Segments::given);
  EXPECT_EQ(c.points[1].point.call.segments, 3);
}

TEST(CampaignFile, SaysWhatIsWrongAndWhere) {
  const std::string ring = R"({"collective": "allreduce", "algorithm": "ring"})";
  EXPECT_EQ(refusal("{"),
            "c.json: line 1, column 2: syntax error while parsing object key - unexpected end of input; "
            "expected string literal");
  EXPECT_EQ(refusal("[]"), "c.json: must be an object, not []");
  EXPECT_EQ(refusal("{}"), "c.json: 'points' is missing");
  EXPECT_EQ(refusal(R"({"points": []})"), "c.json.points: must not be empty");
  EXPECT_EQ(refusal(R"({"point": []})"), "c.json: unknown key 'point'; did you mean 'points'?");
  EXPECT_TRUE(refusal(R"({"po\nints": []})").starts_with("c.json: unknown key 'po\\nints'"));
  EXPECT_EQ(refusal(R"({"points": )" + ring + "}"), "c.json: 'ranks' is missing");
  EXPECT_EQ(refusal(R"({"ranks": 4, "sizes": "4QB", "points": )" + ring + "}"),
            "c.json.sizes: size '4QB' is not understood; sizes are like 1024, 64KiB, 1.5MiB, 100MB");
  EXPECT_EQ(refusal(R"({"ranks": 0, "sizes": 4, "points": )" + ring + "}"),
            "c.json.ranks: must be a whole number from 1 to 16777216, not 0");
  EXPECT_TRUE(refusal(with_row(R"({"collective": "allreduce", "algorithm": "rin"})"))
                  .starts_with("c.json.points[0].algorithm: no algorithm 'rin'"));
  EXPECT_TRUE(refusal(with_row(R"({"collective": "allredcue", "algorithm": "ring"})"))
                  .starts_with("c.json.points[0].collective: unknown collective"));
  EXPECT_EQ(refusal(with_row(ring + "," + ring)),
            "c.json.points: allreduce ring, 4 ranks, 1 KiB is there twice");
  EXPECT_EQ(refusal(with_row(R"({"collective": "broadcast", "algorithm": "flat", "root": 4})")),
            "c.json.points[0]: root must be a rank from 0 to 3, got 4");
  EXPECT_EQ(refusal(with_row(R"({"collective": "allreduce", "algorithm": "ring", "root": 1})")),
            "c.json.points[0].root: allreduce has no root");
  EXPECT_EQ(refusal(with_row(R"({"collective": "allreduce", "algorithm": "library", "segment": "1KiB"})")),
            "c.json.points[0].segment: the library chooses for itself");
  EXPECT_EQ(refusal(with_row(R"({"collective": "broadcast", "algorithm": "chain", "segment": "0"})")),
            "c.json.points[0].segment: a segment has at least a byte");
  EXPECT_EQ(
      refusal(R"({"ranks": 4, "sizes": 4, "measure": {"least": 50, "most": 10}, "points": )" + ring + "}"),
      "c.json.measure: most, 10, is below least, 50");
  EXPECT_EQ(refusal(R"({"ranks": 4, "sizes": 4, "measure": {"limit_s": -1}, "points": )" + ring + "}"),
            "c.json.measure.limit_s: must be a number of 0 or more, not -1");
  EXPECT_EQ(refusal(R"({"ranks": 4, "sizes": 4, "bounds": {"mean": 0.1}, "points": )" + ring + "}"),
            "c.json.bounds: unknown key 'mean'; expected one of: path, simgrid");
  EXPECT_EQ(refusal(R"({"ranks": 4, "sizes": 4, "measure": {"overlap_workers": 0},
                       "points": {"collective": "allreduce", "algorithm": "library"}})"),
            "c.json.points: allreduce library, 4 ranks, 4 B has no overlap that could be predicted");
}

TEST(CampaignFile, ABarrierHasNoSize) {
  const std::string barrier = R"("points": {"collective": "barrier", "algorithm": "dissemination"}})";
  for (const char* sizes : {"", R"("sizes": [8, 16], )"}) {
    const Campaign c = parse_campaign(R"({"ranks": 4, )" + (sizes + barrier), "c.json");
    ASSERT_EQ(c.points.size(), 1u) << sizes;
    EXPECT_EQ(c.points[0].point.call.message, Bytes(0));
  }
}

TEST(CampaignFile, ShippedOnesAreSound) {
  int found = 0;
  for (const auto& file : std::filesystem::directory_iterator(COLLCAST_SOURCE_DIR "/validation/campaigns"))
    if (file.path().extension() == ".json") {
      EXPECT_FALSE(parse_campaign(read_file(file.path()), file.path()).points.empty()) << file.path();
      ++found;
    }
  EXPECT_GE(found, 3);
}

}  // namespace
}  // namespace collcast::campaign
