// SPDX-License-Identifier: Apache-2.0
// Timelines, pages and plots as users ask for them: what they hold is the answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "support/json.hpp"
#include "tests/cli/collcast.hpp"
#include "tests/folder.hpp"

namespace {

using namespace collcast;
using collcast::testing::Outcome, collcast::testing::trace;
const auto run = [](const std::string& words) { return collcast::testing::collcast(words); };

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Json answer(const std::string& arguments) {
  const Outcome o = run(arguments + " --format json");
  EXPECT_EQ(o.code, 0) << arguments << "\n" << o.err;
  return parse_json(o.out);
}

/// The end of the last slice, in seconds.
double last_end(const Json& timeline) {
  double last = 0;
  for (const Json& e : timeline["traceEvents"])
    if (e["ph"] == "X") last = std::max(last, 1e-6 * (e["ts"].get<double>() + e["dur"].get<double>()));
  return last;
}

TEST(Pictures, ATimelineEndsWhenItsAnswerSays) {
  const Folder folder;
  const std::string call =
      "predict allreduce --platform summit --ranks 12 --size 1MiB --algorithm ring --engine ";
  for (const std::string engine : {"path", "contention", HAS_SIMGRID ? "simgrid" : "path"}) {
    const std::string file = folder / (engine + ".json");
    const double time = answer(call + engine + " --timeline " + file)["predictions"][0]["time_s"];
    const Json timeline = parse_json(text_of(file));
    EXPECT_NEAR(last_end(timeline), time, 1e-9 * time + 1e-11) << engine;
    EXPECT_EQ(timeline["otherData"]["time_s"].get<double>(), time);
    EXPECT_EQ(timeline["otherData"]["algorithm"], "ring");
  }
}

TEST(Pictures, AReplayHasATimelineAndAPage) {
  const Folder folder;
  const std::string json = folder / "t.json", page = folder / "t.html";
  const Json a = answer("replay " + trace + " --platform edr-cluster --engine path --timeline " + json +
                        " --timeline-events 20000 --report " + page);
  const Json timeline = parse_json(text_of(json));
  EXPECT_NEAR(timeline["otherData"]["time_s"].get<double>(), a["time_s"].get<double>(), 1e-12);
  EXPECT_FALSE(timeline["otherData"]["left_out"].empty());
  EXPECT_LT(timeline["traceEvents"].size(), 40000u);
  const std::string html = text_of(page), mark = "id=\"data\">";
  ASSERT_NE(html.find(mark), std::string::npos);
  EXPECT_LT(html.size(), 5'000'000u);
  const std::size_t begin = html.find(mark) + mark.size();
  const Json data = parse_json(html.substr(begin, html.find("</script>", begin) - begin));
  EXPECT_EQ(data["operations"], a["operations"]);
  EXPECT_EQ(data["time_s"], a["time_s"]);
  std::int64_t calls = 0;
  for (const Json& o : data["run"]["operations_by_size"])
    if (o["operation"] == "allreduce") calls += o["count"].get<std::int64_t>();
  const Json recorded = answer("inspect " + trace);
  for (const Json& o : recorded["operations"])
    if (o["operation"] == "allreduce") calls -= o["count"].get<std::int64_t>();
  EXPECT_EQ(calls, 0);  // each rank's own, as recorded
  for (const char* title : {"Totals", "Where the time goes", "Operations by size", "What ranks do when",
                            "Not modelled", "pedigree"})
    EXPECT_NE(html.find(title), std::string::npos) << title;
}

TEST(Pictures, ATrainingStepHasRolesAndStreams) {
  const Folder folder;
  const std::string json = folder / "t.json", page = folder / "t.html";
  answer("train --model resnet50 --platform summit --ranks 12 --timeline " + json + " --report " + page);
  const Json timeline = parse_json(text_of(json));
  std::string rows;
  for (const Json& e : timeline["traceEvents"])
    if (e["ph"] == "M" && e["name"] == "thread_name") rows += e["args"]["name"].get<std::string>() + ";";
  EXPECT_NE(rows.find("compute;"), std::string::npos);
  EXPECT_NE(rows.find("communication;"), std::string::npos);
  EXPECT_NEAR(last_end(timeline), timeline["otherData"]["time_s"].get<double>(), 1e-6);
  EXPECT_NE(text_of(page).find("A step on 12 ranks"), std::string::npos);
}

TEST(Pictures, APageOfAPredictionHoldsItsNumbers) {
  const Folder folder;
  const std::string page = folder / "p.html";
  const Json a =
      answer("predict allreduce --platform flat --ranks 8 --size 1KiB,1MiB --algorithm all --report " + page);
  const std::string html = text_of(page), mark = "id=\"data\">";
  const std::size_t begin = html.find(mark) + mark.size();
  EXPECT_EQ(parse_json(html.substr(begin, html.find("</script>", begin) - begin)), a);
}

TEST(Pictures, BadOnesAreOneLineBeforeTheForecast) {
  const Folder folder;
  const std::string call = "predict allreduce --platform flat --ranks 4 --size 1KiB ";
  for (const std::string& words :
       {call + "--timeline a.txt", call + "--timeline " + (folder / "none/a.json"), call + "--report a.pdf",
        call + "--report " + (folder / "none/a.html"), call + "--plot a.pdf",
        call + "--timeline-events 1 --timeline " + (folder / "a.json"),
        call + "--algorithm ring --engine formula --timeline " + (folder / "a.json"),
        "predict allreduce --platform flat --ranks 4,8 --size 1KiB --timeline " + (folder / "a.json"),
        "predict allreduce --platform flat --ranks 4 --size 1KiB --algorithm all --timeline " +
            (folder / "a.json"),
        "train --model resnet50 --platform summit --ranks 6,12 --timeline " + (folder / "a.json")}) {
    const Outcome o = run(words);
    EXPECT_EQ(o.code, 2) << words << "\n" << o.out << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << words << "\n" << o.err;
  }
  EXPECT_TRUE(text_of(folder / "a.json").empty());
}

}  // namespace
