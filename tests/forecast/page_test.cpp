// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/page.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "forecast/report/machine.hpp"
#include "forecast/report/plan.hpp"
#include "forecast/report/plot.hpp"
#include "forecast/report/statistics.hpp"
#include "model/lowering.hpp"
#include "support/json.hpp"
#include "support/process/launch.hpp"
#include "support/text.hpp"
#include "tests/complaint.hpp"
#include "tests/engines/player/schedules.hpp"
#include "tests/folder.hpp"

namespace collcast::report {
namespace {

using testing::complaint;

const std::string hostile =
    "</script><script>alert('x')</script>\"&<img src=x onerror=alert(1)>\n\x1b[2J\xff";

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

Figure example() {
  return chart({"Time",
                {"message", text::bytes, Axis::Scale::octaves},
                {"time", text::seconds, Axis::Scale::decades},
                {{"ring", {{1024, 1e-3, 0.9e-3, 1.2e-3}, {1048576, 1e-2, 0.9e-2, 1.2e-2}}}}});
}

Json data_of(const std::string& page) {
  const std::string mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return parse_json(page.substr(begin, page.find("</script>", begin) - begin));
}

/// Columns of 12, 5, 7, 19, 5 and 10 characters, two apart: the time would be the fifth.
TEST(Table, ShowsTheTimeWhateverLeadsToIt) {
  const std::vector<std::vector<std::string>> rows = {
      {"policy", "ranks", "message", "algorithm", "time", "limited by"},
      {"nccl-2.18:LL", "64", "1 MiB", "hierarchical-leader", "17 us", "latency"}};
  const auto header = [&](std::size_t width) {
    const std::string table = text_table(rows, width, true);
    return table.substr(0, table.find('\n'));
  };
  const std::string whole = "policy        ranks  message  algorithm             time  limited by";
  EXPECT_EQ(header(0), whole);
  EXPECT_EQ(header(68), whole);
  EXPECT_EQ(header(67), "policy        ranks  message  algorithm             time");
  EXPECT_EQ(header(55), "policy        ranks  message   time  limited by");
  EXPECT_EQ(header(36), "policy        ranks  message   time");
}

TEST(Page, NamesCannotBecomeMarkup) {
  const Axis axis{hostile, text::number};
  const Chapter c{hostile,
                  hostile,
                  {{hostile}, {hostile}},
                  {chart({hostile, axis, axis, {{hostile, {{1, 2, 1, 3, hostile}}}}}),
                   bars(hostile, {hostile, "b"}, {{hostile, {1, 2}}}, text::number),
                   schedule(hostile, {hostile}, {{0, 0, 1, hostile}}, 1)}};
  const Json data{{"name", hostile}, {hostile, 1}};
  const std::string page = html(hostile, {c}, data);
  EXPECT_EQ(occurrences(page, "<script"), 2u);  // the data, and ours
  EXPECT_EQ(occurrences(page, "</script>"), 2u);
  EXPECT_EQ(occurrences(page, "<img"), 0u);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
}

TEST(Page, HoldsItsDataAsJson) {
  const Json data{{"a", 1.5}, {"text", "</script> & <b> \u00e9"}, {"rows", {1, 2, 3}}};
  EXPECT_EQ(data_of(html("t", {}, data)), data);
}

TEST(Page, CanBeReadAloudAndPrintedWithoutANetwork) {
  std::vector<std::vector<std::string>> table{{"name", "value"}};
  for (int i = 0; i < 20; ++i) table.push_back({"row " + std::to_string(i), "1"});
  const std::string page =
      html("title", {{"Chapter", "words", table, {example()}}, {"Short", "", {{"h"}, {"c"}}}}, {});
  for (const char* part : {"<html lang=\"en\">", "<h1>title</h1>", "<h2 id=\"chapter0\">Chapter</h2>",
                           "<caption>Chapter</caption>", "<th scope=\"col\">name</th>", "role=\"img\"",
                           "<title>Time</title>", "<desc>", "@media print", "aria-label=\"Contents\""})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(occurrences(page, "data-table=\"table0\""), 1u);  // the long table can be filtered
  EXPECT_EQ(occurrences(page, "data-table=\"table1\""), 0u);
  for (const char* outside : {"http://", "https://", "src=", "<link", "@import"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

/// 1 KiB and 1 MiB are ten octaves apart, 1 ms and 10 ms a decade: the line goes from bottom left to top
/// right.
TEST(Chart, PlacesPointsOnItsScales) {
  const Figure f = example();
  EXPECT_EQ(occurrences(f.svg, "<circle"), 2u);
  EXPECT_NE(f.svg.find(">1 KiB<"), std::string::npos);
  EXPECT_NE(f.svg.find(">1 MiB<"), std::string::npos);
  EXPECT_NE(f.svg.find(">1 ms<"), std::string::npos);
  EXPECT_NE(f.svg.find("<title>ring: 1 KiB, 1.00 ms</title>"), std::string::npos);
  EXPECT_NE(f.words.find("ring from 1.00 ms at 1 KiB to 10.0 ms at 1 MiB."), std::string::npos) << f.words;
}

TEST(Chart, TakesWhatHasNoPlaceOnALogarithm) {
  const Axis x{"x", text::bytes, Axis::Scale::octaves}, y{"y", text::seconds, Axis::Scale::decades};
  EXPECT_EQ(occurrences(chart({"t", x, y, {{"zero", {{0, 0, 0, 0}}}}}).svg, "<circle"), 0u);
  EXPECT_EQ(occurrences(chart({"t", x, y, {}}).svg, "<svg"), 1u);
  EXPECT_EQ(occurrences(chart({"t", x, y, {{"one", {{8, 1, 1, 1}}}}}).svg, "<circle"), 1u);
  EXPECT_EQ(chart({"t", x, y, {{"nan", {{NAN, 1, 1, 1}, {1, INFINITY, 1, 1}}}}}).svg.find("nan,"),
            std::string::npos);
}

/// Four ranks of a ring send 6 messages each: a port is busy 6 * 7 = 42 of 46.5 ms; the call lasts as long as
/// the run on each rank.
TEST(Statistics, CountWhatARunDid) {
  const UniformFabric fabric(AlphaBetaGamma{Seconds(1e-3), SecondsPerByte(2e-3), SecondsPerByte(0.5e-3)}, 4);
  Statistics seen;
  PlayOptions options;
  options.observer = seen.watch(fabric, [](const Observer::Interval& i) { return i.tag == 9 ? "call" : ""; });
  const Schedule schedule = testing::ring(4);
  const Result run = play(*program(schedule, Layout::equal(Bytes(12), 4)), fabric, options);
  for (Rank r = 0; r < 4; ++r) seen.done({r, Op::Kind::start, 9, Seconds(0), run.time, 0, -1, Bytes(12)});
  const Json json = seen.json(run.time);
  ASSERT_EQ(json["operations_by_size"].size(), 1u);
  const Json& call = json["operations_by_size"][0];
  EXPECT_EQ(call["operation"], "call");
  EXPECT_EQ(call["bytes"], 12);
  EXPECT_EQ(call["count"], 4);
  EXPECT_NEAR(call["mean_s"].get<double>(), 46.5e-3, 1e-12);
  ASSERT_EQ(json["links"].size(), 8u);
  EXPECT_NEAR(json["links"][0]["busy_s"].get<double>(), 42e-3, 1e-12);
  const Json& kinds = json["links_by_kind"];  // each rank sends 6 messages of 3 bytes, and receives as many
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0]["name"], "rank in");
  EXPECT_EQ(kinds[1]["name"], "rank out");
  for (const Json& kind : kinds) {
    EXPECT_EQ(kind["links"], 4);
    EXPECT_EQ(kind["bytes"], 72);
    EXPECT_EQ(kind["busiest_bytes"], 18);
    for (const char* share : {"busiest_share", "mean_share"})
      EXPECT_NEAR(kind[share].get<double>(), 42 / 46.5, 1e-9);
  }
  const std::vector<Chapter> chapters = seen.chapters(run.time);
  ASSERT_EQ(chapters.size(), 4u);
  EXPECT_EQ(chapters[0].title, "Operations by size");
  EXPECT_EQ(chapters[2].title, "Use of the machine");
  EXPECT_EQ(chapters[3].title, "Use of ports");
}

/// 1 to 101 bytes, each once, of i seconds: 1, 2, 3-4, 5-8, ..., 65-101.
TEST(Statistics, TakeSizesOfAnOctaveTogetherWhereTheyAreMany) {
  const UniformFabric fabric(AlphaBetaGamma{Seconds(1e-3), SecondsPerByte(2e-3), SecondsPerByte(0)}, 2);
  Statistics seen;
  seen.watch(fabric, [](const Observer::Interval& i) { return i.tag == 9 ? "many" : "one"; });
  for (int i = 1; i <= 101; ++i) seen.done({0, Op::Kind::start, 9, Seconds(0), Seconds(i), 0, -1, Bytes(i)});
  seen.done({0, Op::Kind::start, 8, Seconds(0), Seconds(1), 0, -1, Bytes(100)});
  const Json rows = seen.json(Seconds(101))["operations_by_size"];
  ASSERT_EQ(rows.size(), 9u);
  EXPECT_EQ(rows[2]["bytes"], 4);
  EXPECT_EQ(rows[2]["count"], 2);
  EXPECT_EQ(rows[2]["mean_s"], 3.5);
  EXPECT_EQ(rows[7]["bytes"], 128);
  EXPECT_EQ(rows[7]["sizes"], 37);
  EXPECT_EQ(rows[7]["min_s"], 65);
  EXPECT_EQ(rows[7]["max_s"], 101);
  EXPECT_EQ(rows[8]["bytes"], 100);
}

/// 72 boxes side by side: one name for all, none on top of each other.
TEST(Machine, NamesARowOfNarrowBoxesOnce) {
  Sketch sketch{{}, {}};
  for (int i = 0; i < 72; ++i) sketch.boxes.push_back({"gpu" + std::to_string(i), "", 0, i, false});
  sketch.boxes.push_back({"nvswitch", "", 1, 0, false});
  const Figure f = machine(sketch, Json::array(), "", 1);
  EXPECT_EQ(occurrences(f.svg, ">gpu"), 72u + 1) << f.svg;  // where a pointer rests; and
  EXPECT_EQ(occurrences(f.svg, ">gpu0 to gpu71<"), 1u);
  EXPECT_EQ(occurrences(f.svg, ">nvswitch<"), 2u);
}

/// No message has no bytes: a barrier is in the table, and not at 1 B of the pictures.
TEST(Statistics, DrawWhatHasBytesAlone) {
  const UniformFabric fabric(AlphaBetaGamma{Seconds(1e-3), SecondsPerByte(2e-3), SecondsPerByte(0)}, 2);
  Statistics seen;
  seen.watch(fabric, [](const Observer::Interval& i) { return i.tag == 9 ? "allreduce" : "barrier"; });
  for (const int bytes : {16, 1024})
    seen.done({0, Op::Kind::start, 9, Seconds(0), Seconds(1), 0, -1, Bytes(bytes)});
  seen.done({0, Op::Kind::start, 8, Seconds(0), Seconds(1), 0, -1, Bytes(0)});
  const std::vector<Chapter> chapters = seen.chapters(Seconds(1));
  ASSERT_FALSE(chapters.empty());
  ASSERT_EQ(chapters[0].figures.size(), 2u);
  for (const Figure& f : chapters[0].figures) EXPECT_EQ(f.svg.find("barrier"), std::string::npos);
  EXPECT_EQ(seen.json(Seconds(1))["operations_by_size"].size(), 3u);
}

/// Two of three NICs carry something: "nic 1" 30 and 50 % of 10 s, 40 % in the mean.
TEST(Machine, ShowsTheBusiestOfLinksAlike) {
  const Sketch sketch{{{hostile, "", 0, 0, false}, {"switch", "", 1, 0, true}, {"idle", "", 0, 1, false}},
                      {{0, 1, {"NIC out"}, {"NIC in"}}, {2, 1, {"other out"}, {}}}};
  const Section kinds = use_by_kind({{"node 0 NIC out", Bytes(1024), Seconds(3)},
                                     {"node 7 NIC out", Bytes(2048), Seconds(5)},
                                     {"node 7 NIC in", Bytes(1), Seconds(1)}},
                                    Seconds(10));
  ASSERT_EQ(kinds.rows.size(), 2u);
  EXPECT_EQ(kinds.rows[0]["busiest"], "node 7 NIC out");
  EXPECT_NEAR(kinds.rows[0]["mean_share"].get<double>(), 0.4, 1e-12);
  EXPECT_EQ(kinds.rows[0]["bytes"], 3072);
  const Figure f = machine(sketch, kinds.rows, "nothing here", 2);
  EXPECT_EQ(occurrences(f.svg, "<path"), 2u);
  EXPECT_EQ(occurrences(f.svg, ">50 %, 2 KiB<"), 1u) << f.svg;
  EXPECT_NE(f.svg.find("NIC out: the busiest of 2 50 % of the time, 2 KiB; mean 40 %"), std::string::npos);
  EXPECT_NE(f.svg.find("idle and switch: nothing here"), std::string::npos);
  EXPECT_EQ(f.svg.find("<img"), std::string::npos);
  EXPECT_EQ(f.words.rfind("one of 2 nodes in use.", 0), 0u) << f.words;
  EXPECT_EQ(nodes_in_use({{"node 0 NIC out", {}, {}},
                          {"node 0 NIC in", {}, {}},
                          {"node 12 a to b", {}, {}},
                          {"leaf 0 up 1", {}, {}}}),
            2u);
  EXPECT_NE(f.words.find("NIC in: busy 10 % of the time, 1 B"), std::string::npos) << f.words;
}

Json row(const char* algorithm, int ranks, double bytes, double time) {
  return {{"platform", "p"},        {"collective", "allreduce"}, {"ranks", ranks},
          {"algorithm", algorithm}, {"message_bytes", bytes},    {"time_s", time},
          {"low_s", 0.9 * time},    {"high_s", 1.1 * time}};
}

TEST(Plot, ACurveForWhatTellsRowsApart) {
  const Json by_algorithm{row("ring", 4, 8, 1), row("tree", 4, 8, 2), row("ring", 4, 16, 3)};
  const auto two = time_graph(by_algorithm).curves;
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].name, "ring");
  EXPECT_EQ(two[0].points.size(), 2u);
  const Json by_ranks{row("ring", 4, 16, 1), row("tree", 8, 8, 2), row("tree", 4, 8, 3)};
  const auto ranks = time_graph(by_ranks).curves;
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0].name, "4 ranks");
  EXPECT_EQ(ranks[0].points[0].x, 8);  // in the order of the sizes
  EXPECT_EQ(time_graph({row("ring", 4, 8, 1), row("tree", 4, 16, 2)}).curves.size(),
            1u);  // auto, size by size
  EXPECT_EQ(time_graph(Json::array()).curves.size(), 0u);
  const Graph one_call = time_graph({row("ring", 4, 16, 2), row("tree", 4, 16, 1)});
  EXPECT_EQ(one_call.x.title, "16 B, the fastest first");
  ASSERT_EQ(one_call.curves.size(), 2u);
  EXPECT_EQ(one_call.curves[0].name, "tree");
  EXPECT_EQ(one_call.curves[1].points[0].x, 2);
  EXPECT_EQ(one_call.x.names, (std::vector<std::string>{"tree", "ring"}));  // at 1 and 2
  const Graph one_size = time_graph({row("ring", 8, 16, 1), row("tree", 4, 16, 2)});
  EXPECT_EQ(one_size.x.title, "ranks");
  ASSERT_EQ(one_size.curves.size(), 1u);
  EXPECT_EQ(one_size.curves[0].points[0].x, 4);
  EXPECT_EQ(one_size.curves[0].points[0].y, 2);
}

/// Ticks are round numbers, on logarithmic axes of less than a decade, too; sizes are marked at themselves.
TEST(Plot, MarksItsAxes) {
  const auto words = [](const Extent& e) {
    std::string all;
    for (const auto& [at, text] : e.ticks) all += text + "; ";
    return all;
  };
  const auto of = [](double x, double y, double x2, double y2) {
    return extents({"", size_axis(), time_axis(), {{"c", {{x, y, y, y}, {x2, y2, y2, y2}}}}});
  };
  EXPECT_EQ(words(of(6144, 1e-6, 65536, 1e-3).x), "6 KiB; 64 KiB; ");
  EXPECT_EQ(words(of(6144, 1e-6, 65536, 1e-3).y), "1 us; 10 us; 100 us; 1 ms; ");
  EXPECT_EQ(words(of(8, 1e-6, 64, 2e-5).y), "1 us; 2 us; 5 us; 10 us; 20 us; ");
  EXPECT_EQ(words(of(8, 0.2, 64, 0.24).y), "200 ms; 210 ms; 220 ms; 230 ms; 240 ms; ");
  const Graph near{
      "", size_axis(), time_axis(), {{"c", {{1024, 1, 1, 1}, {1030, 1, 1, 1}, {4096, 1, 1, 1}}}}};
  EXPECT_EQ(words(extents(near).x), "1 KiB; 2 KiB; 4 KiB; ");  // 1030 B has no room beside 1 KiB
}

/// a and b share two sizes in a row, b and c one on their way across, all of them the last.
TEST(Chart, ACurveIsBroaderBelowOthers) {
  const auto curve = [](const char* name, const std::vector<double>& ys) {
    Curve c{name, {}};
    for (const double y : ys) c.points.push_back({std::exp2(c.points.size()), y, y, y});
    return c;
  };
  const Graph g{
      "",
      size_axis(),
      time_axis(),
      {curve("a", {1, 2, 4, 9}), curve("b", {1, 2, 8, 9}), curve("c", {3, 2, 1, 9}), curve("d", {1})}};
  EXPECT_EQ(hidden_by(g), (std::vector<int>{2, 1, 0, 0}));  // d has one point, where a and b are
  const std::string svg = chart(g).svg;
  for (const char* width : {"\"5.5\"", "\"3.5\"", "\"1.5\""})  // the curve, and its sign beside its name
    EXPECT_NE(svg.find(std::string("stroke-width=") + width), svg.rfind(std::string("stroke-width=") + width))
        << svg;
}

/// 5 > 4 > 2 h at 1, 2 and 3 USD; what is at 4 USD is slower than the one before, and so is not on the
/// frontier.
TEST(Plot, OfAPlanHasItsFrontierAndItsAnswer) {
  std::vector<plan::Candidate> all;
  for (const double hours : {5.0, 4.0, 2.0, 3.0})
    all.push_back({.platform = "p",
                   .ranks = static_cast<Rank>(all.size() + 1),
                   .time = Seconds(3600 * hours),
                   .low = Seconds(3600 * hours),
                   .high = Seconds(3600 * hours),
                   .price_USD = static_cast<double>(all.size() + 1) / hours});
  const plan::Limits limits{.time_s = 4.5 * 3600};
  const Graph g = graph(plan::judge(all, limits, plan::Aim::cost), limits);
  ASSERT_EQ(g.curves.size(), 5u);  // frontier, within, line, outside, answer
  ASSERT_EQ(g.curves[0].points.size(), 3u);
  EXPECT_NEAR(g.curves[0].points[2].x, 3, 1e-12);
  EXPECT_NEAR(g.curves[0].points[2].y, 2, 1e-12);
  EXPECT_EQ(g.curves[1].points.size(), 3u);
  EXPECT_EQ(g.curves[3].points.size(), 1u);
  EXPECT_EQ(g.curves[3].points[0].label, "1");
  EXPECT_EQ(g.curves[4].name, "the answer: p, 2 ranks");
  ASSERT_EQ(g.marks.size(), 1u);
  EXPECT_NEAR(g.marks[0].at, 4.5, 1e-12);
}

TEST(Plot, RefusesOtherFiles) {
  const Folder folder;
  EXPECT_EQ(complaint([&] { check_plot(folder / "a.pdf"); }),
            "--plot writes FILE.svg or FILE.png, not '" + (folder / "a.pdf") + "'");
  EXPECT_NE(complaint([&] { check_plot(folder / "none/a.svg"); }), "");
}

TEST(Plot, DrawsHostileNamesAsTheyAre) {
  if (!can_plot()) GTEST_SKIP() << "there is no gnuplot";
  const Folder folder;
  const std::string name = "it's `touch x` \"$HOME\" \\ @{^}_ \n system('touch y')";
  const Graph graph{"", size_axis(), time_axis(), {{name, {{1024, 1, 0.5, 2}, {2097152, 2, 1.5, 3}}}}};
  write_plot(folder / "a.svg", {name, {graph}});
  std::ifstream in(folder / "a.svg");
  const std::string svg{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(svg.find("1 KiB"), std::string::npos);
  EXPECT_NE(svg.find("`touch x`"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists("x") || std::filesystem::exists("y"));
  write_plot(folder / "a.png", {name, {graph}});
  std::ifstream png(folder / "a.png", std::ios::binary);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(png), {}}).substr(0, 4), "\x89PNG");
}

/// The browser runs the page's script, and finds its data, its tables and its pictures there.
TEST(Page, OpensInABrowser) {
  const std::vector<std::string> browsers{"chromium", "chromium-headless-shell"};
  const auto browser = std::ranges::find_if(browsers, [](const auto& b) {
    return can_run({b, "--version"});
  });
  if (browser == browsers.end()) GTEST_SKIP() << "there is no chromium";
  const Folder folder;
  const std::string file = folder / "page.html";
  std::ofstream(file) << html(hostile, {{"Chapter", "words", {{"h"}, {hostile}}, {example()}}}, {{"a", 1}});
  const ProcessResult ended =
      filter({*browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder.path(),
              "--virtual-time-budget=2000", "--dump-dom", "file://" + file},
             "");
  if (ended.code != 0) GTEST_SKIP() << "chromium does not start here: " << ended.errors.substr(0, 200);
  EXPECT_EQ(data_of(ended.output)["a"], 1);
  EXPECT_EQ(occurrences(ended.output, "<script"), 2u);
  EXPECT_EQ(occurrences(ended.output, "<circle"), 2u);
  EXPECT_EQ(occurrences(ended.output, "<img"), 0u);
}

}  // namespace
}  // namespace collcast::report
