// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/timeline.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <fstream>
#include <set>

#include "engines/contention/contention.hpp"
#include "model/lowering.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/engines/player/schedules.hpp"
#include "tests/folder.hpp"

namespace collcast::report {
namespace {

using namespace testing;

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string unzipped(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  char piece[4096];
  for (int n; (n = gzread(file, piece, sizeof piece)) > 0;) text.append(piece, static_cast<std::size_t>(n));
  gzclose(file);
  return text;
}

std::vector<Json> of_phase(const Json& file, const std::string& phase) {
  std::vector<Json> all;
  for (const Json& e : file["traceEvents"])
    if (e["ph"] == phase) all.push_back(e);
  return all;
}

/// alpha = 1 ms, beta = 2 ms/B, gamma = 0.5 ms/B.
const AlphaBetaGamma slow{Seconds(1e-3), SecondsPerByte(2e-3), SecondsPerByte(0.5e-3)};

class Drawn {
 public:
  Drawn(const std::string& path, const Schedule& schedule, Bytes message, std::size_t events = 100'000,
        bool shared = false) {
    const UniformFabric fabric(slow, schedule.ranks);
    Timeline timeline(path, events);
    PlayOptions options;
    options.observer = timeline.watch(fabric, [](const Observer::Interval&) { return "call"; });
    const auto code = program(schedule, Layout::equal(message, schedule.blocks));
    result = shared ? contend(*code, fabric, options) : play(*code, fabric, options);
    left_out = timeline.write({{"title", "drawn"}, {"time_s", result.time.value}});
    file = parse_json(path.ends_with(".gz") ? unzipped(path) : text_of(path));
  }
  Result result;
  std::vector<std::string> left_out;
  Json file;
};

double us(const Json& event, const char* key) {
  return event[key].get<double>();
}

/// Blocks of 3 bytes: a message takes 1 + 2 * 3 = 7 ms, its reduction 1.5 ms; three steps of 8.5 ms, then
/// three of 7 ms. What is sent in step s is there from 1 ms after its begin, until its end.
TEST(Timeline, ARingOfFourStandsWhereItShould) {
  const Folder folder;
  const double begins[] = {0, 8500, 17000, 25500, 32500, 39500, 46500};
  for (const bool shared : {false, true}) {
    const Drawn drawn(folder / "ring.json", ring(4), Bytes(12), 100'000, shared);
    EXPECT_TRUE(drawn.left_out.empty());
    EXPECT_NEAR(drawn.result.time.value, 46.5e-3, 1e-12);
    std::map<std::string, int> seen;
    double last = 0;
    for (const Json& e : of_phase(drawn.file, "X")) {
      const std::string name = e["name"];
      const int rank = e["pid"];
      last = std::max(last, us(e, "ts") + us(e, "dur"));
      if (name.starts_with("step ")) {
        const int s = std::stoi(name.substr(5));
        EXPECT_NEAR(us(e, "ts"), begins[s], 1e-5);
        EXPECT_NEAR(us(e, "ts") + us(e, "dur"), begins[s + 1], 1e-5);
        ++seen["step"];
      } else if (name.starts_with("to ")) {
        EXPECT_EQ(name, "to " + std::to_string((rank + 1) % 4));
        EXPECT_EQ(e["args"]["bytes"], 3);
        EXPECT_NEAR(us(e, "dur"), 7000, 1e-5);
        ++seen["to"];
      } else if (name.starts_with("from ")) {
        EXPECT_EQ(name, "from " + std::to_string((rank + 3) % 4));
        ++seen["from"];
      }
    }
    EXPECT_NEAR(last, 46500, 1e-5);  // the answer
    EXPECT_EQ(seen["step"], 24);
    EXPECT_EQ(seen["to"], 24);
    EXPECT_EQ(seen["from"], 24);
    std::map<int, Json> begun;
    for (const Json& e : of_phase(drawn.file, "s")) begun[e["id"].get<int>()] = e;
    ASSERT_EQ(begun.size(), 24u);
    for (const Json& f : of_phase(drawn.file, "f")) {
      const Json& s = begun.at(f["id"].get<int>());
      EXPECT_EQ(f["pid"].get<int>(), (s["pid"].get<int>() + 1) % 4);
      EXPECT_NEAR(us(f, "ts") - us(s, "ts"), 1000, 1e-5);  // alpha
      EXPECT_EQ(f["cat"], s["cat"]);
      EXPECT_EQ(f["bp"], "e");
    }
    EXPECT_FALSE(of_phase(drawn.file, "C").empty());
    EXPECT_EQ(drawn.file["otherData"]["title"], "drawn");
  }
}

/// Slices of one row lie beside or inside each other; viewers draw nothing else right.
TEST(Timeline, SlicesOfARowNest) {
  const Folder folder;
  for (const auto& c : cases()) {
    const Drawn drawn(folder / "nest.json", c.make(5), Bytes(100), 100'000, true);
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> rows;
    for (const Json& e : of_phase(drawn.file, "X"))
      rows[{e["pid"], e["tid"]}].push_back({us(e, "ts"), us(e, "ts") + us(e, "dur")});
    for (auto& [row, slices] : rows) {
      std::vector<double> open;
      for (const auto& [begin, end] : slices) {
        while (!open.empty() && open.back() <= begin + 1e-6) open.pop_back();
        EXPECT_TRUE(open.empty() || end <= open.back() + 1e-6) << c.name;
        open.push_back(end);
      }
    }
  }
}

TEST(Timeline, TheZippedFileHoldsTheSameText) {
  const Folder folder;
  const Drawn plain(folder / "t.json", ring(5), Bytes(50)), zipped(folder / "t.json.gz", ring(5), Bytes(50));
  EXPECT_EQ(plain.file, zipped.file);
  EXPECT_LT(text_of(folder / "t.json.gz").size(), text_of(folder / "t.json").size());
}

/// 32 ranks send 32 * 62 = 1,984 messages of four events each in as many steps; a timeline of 1,000 events
/// holds 100 messages and 200 steps, and says so.
TEST(Timeline, WhatIsTooMuchIsLeftOutAndSaidSo) {
  const Folder folder;
  const Drawn drawn(folder / "large.json", ring(32), Bytes(320), 1000);
  EXPECT_LE(of_phase(drawn.file, "s").size(), 100u);
  EXPECT_GE(of_phase(drawn.file, "s").size(), 50u);
  std::size_t steps = 0;
  for (const Json& e : of_phase(drawn.file, "X")) steps += e["name"].get<std::string>().starts_with("step ");
  EXPECT_LE(steps, 200u);
  ASSERT_GE(drawn.left_out.size(), 2u);
  EXPECT_NE(dump(Json(drawn.left_out)).find("of 1,984 steps"), std::string::npos) << drawn.left_out[0];
  EXPECT_EQ(drawn.file["otherData"]["left_out"], Json(drawn.left_out));
}

TEST(Timeline, NamesCannotBreakTheFile) {
  const Folder folder;
  Timeline timeline(folder / "names.json");
  timeline.name_process(0, "\"},</script>\n\xff");
  timeline.name_row(1, "row\\\"");
  timeline.add(0, 1, "a\"b\\\n\x01", Seconds(0), Seconds(1), Bytes(7));
  timeline.write(Json::object());
  const Json file = parse_json(text_of(folder / "names.json"));
  ASSERT_EQ(of_phase(file, "X").size(), 1u);
  EXPECT_EQ(of_phase(file, "X")[0]["name"], "a\"b\\\n\x01");
  EXPECT_EQ(of_phase(file, "X")[0]["dur"], 1e6);
}

TEST(Timeline, RefusesOtherNamesAndPlaces) {
  const Folder folder;
  EXPECT_EQ(complaint([&] { Timeline(folder / "a.txt"); }),
            "--timeline writes FILE.json or FILE.json.gz, not '" + (folder / "a.txt") + "'");
  EXPECT_NE(complaint([&] { Timeline(folder / "none/a.json"); }).find("cannot be written"),
            std::string::npos);
}

TEST(Longest, TheLongestStayWhateverTheirOrder) {
  for (const bool backwards : {false, true}) {
    Longest<int> kept(10);
    for (int i = 0; i < 1000; ++i) {
      const int length = backwards ? 999 - i : i;
      kept.add(length, Seconds(std::exp2(length / 2.0 - 200)), 0);
    }
    const std::vector<int> all = kept.take();
    EXPECT_LE(all.size(), 10u);
    EXPECT_GE(all.size(), 5u);
    for (const int length : all) EXPECT_GE(length, 980);
    EXPECT_EQ(kept.seen(), 1000u);
  }
}

TEST(Longest, OfEqualOnesThoseOfLowerRanksStay) {
  Longest<std::uint32_t> kept(100);
  for (std::uint32_t i = 0; i < 10'000; ++i) kept.add(i % 100, Seconds(1), i % 100);
  std::set<std::uint32_t> ranks;
  for (const std::uint32_t rank : kept.take()) ranks.insert(rank);
  EXPECT_EQ(*ranks.rbegin(), ranks.size() - 1);
}

/// 3 s from 1 s on, 6 in all: 2 for each second, whatever the spans.
TEST(Usage, IsSpreadEvenlyAndKeepsItsSum) {
  Usage usage;
  usage.add(7, Seconds(1), Seconds(4), 6);
  usage.add(8, Seconds(0), Seconds(1e-3), 1e-3);
  const auto most = usage.most_used(5);
  ASSERT_EQ(most.size(), 2u);
  EXPECT_EQ(most[0].which, 7u);
  EXPECT_EQ(most[0].total, 6);
  double sum = 0, second = 0;
  for (std::size_t i = 0; i < Usage::spans; ++i) {
    const double at = static_cast<double>(i) * usage.span().value;
    sum += most[0].by_span[i];
    if (at >= 2 && at + usage.span().value <= 3) second = most[0].by_span[i] / usage.span().value;
  }
  EXPECT_NEAR(sum, 6, 1e-4);
  EXPECT_NEAR(second, 2, 1e-4);
}

/// 100 uses of half of their time each, in spans a little shorter: singly these show 0 to 93 %, together
/// half.
TEST(Usage, DoesNotBeatAgainstItsSpans) {
  Usage usage;
  for (int i = 0; i < 100; ++i) usage.add(0, Seconds(i), Seconds(i + 0.5), 0.5);
  const Usage::Thing use = usage.most_used(1)[0];
  const double filled = 100 / usage.span().value;
  const std::size_t step = drawn_as_one(use, filled);
  EXPECT_GE(static_cast<double>(step) * usage.span().value, 8);
  for (std::size_t i = 0; i + step < static_cast<std::size_t>(filled); i += step) {
    double sum = 0;
    for (std::size_t k = i; k < i + step; ++k) sum += use.by_span[k];
    EXPECT_NEAR(sum / (static_cast<double>(step) * usage.span().value), 0.5, 0.5 / 8);
  }
  EXPECT_EQ(drawn_as_one({0, 1, {}, 10}, 400), 1u);    // each is seen
  EXPECT_EQ(drawn_as_one({0, 1, {}, 4000}, 400), 1u);  // averages already
}

/// What is too much for a span goes on in the next ones; at the end of a busy time back to those before.
TEST(Usage, OfALinkIsNeverAboveItsSpeed) {
  std::vector<double> use = {0, 1.5, 0.25, 0.5, 0, 0.5, 1.5, 0, 0.75};
  level(use, 1);
  EXPECT_EQ(use, (std::vector<double>{0, 1, 0.75, 0.5, 0, 1, 1, 0, 0.75}));
}

}  // namespace
}  // namespace collcast::report
