// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "forecast/sweep/predict.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"

namespace collcast::sweep {
namespace {

using collcast::testing::complaint;

constexpr Key keys[] = {{"platform", Kind::word}, {"ranks", Kind::ranks}, {"size", Kind::size},
                        {"n", Kind::count},       {"x", Kind::number},    {"f", Kind::named}};

Space space(const std::string& settings, const std::string& sample = "") {
  return {parse_json(settings, "s.json"), keys, sample.empty() ? Json() : parse_json(sample), "s.json"};
}

std::string text(const Point& point) {
  std::string all;
  for (const Setting& s : point) all += s.key + '=' + s.value + ' ';
  return all;
}

TEST(Space, AGridIsEveryCombinationTheCostlyKeysSlowest) {
  const Space s = space(
      R"({"size": ["1KiB:4KiB:x2", 7], "ranks": [2, 3], "set": {"a.b": "0.5:2:x2"}, "platform": "flat"})");
  ASSERT_EQ(s.size(), 24);  // 3 x 2 x 4
  EXPECT_EQ(text(s.at(0)), "platform=flat set.a.b=0.5 ranks=2 size=1024 ");
  EXPECT_EQ(text(s.at(3)), "platform=flat set.a.b=0.5 ranks=2 size=7 ");
  EXPECT_EQ(text(s.at(4)), "platform=flat set.a.b=0.5 ranks=3 size=1024 ");
  EXPECT_EQ(text(s.at(23)), "platform=flat set.a.b=2 ranks=3 size=7 ");
  std::set<std::string> all;
  for (int i = 0; i < 24; ++i) all.insert(text(s.at(i)));
  EXPECT_EQ(all.size(), 24u);
  EXPECT_TRUE(s.varies("ranks"));
  EXPECT_FALSE(s.varies("platform"));
}

TEST(Space, SamplesComeFromTheSeedAlone) {
  const std::string settings =
      R"({"x": {"from": 1, "to": 100, "scale": "log"}, "ranks": {"from": 2, "to": 5}, "platform": ["a", "b"]})";
  for (const std::string kind : {"random", "low-discrepancy"}) {
    const Space one = space(settings, R"({")" + kind + R"(": 300, "seed": 1})");
    const Space same = space(settings, R"({")" + kind + R"(": 300, "seed": 1})");
    const Space other = space(settings, R"({")" + kind + R"(": 300, "seed": 2})");
    std::set<std::string> ranks, platforms;
    int below = 0, moved = 0;
    for (int i = 0; i < 300; ++i) {
      const Point p = one.at(i);
      EXPECT_EQ(text(p), text(same.at(i)));
      moved += text(p) != text(other.at(i));
      platforms.insert(p[0].value);
      ranks.insert(p[1].value);
      const double x = std::stod(p[2].value);
      EXPECT_GE(x, 1);
      EXPECT_LE(x, 100);
      below += x < 10;  // half of a log scale
    }
    EXPECT_GT(moved, 200);
    EXPECT_EQ(ranks, (std::set<std::string>{"2", "3", "4", "5"}));
    EXPECT_EQ(platforms.size(), 2u);
    EXPECT_NEAR(below, 150, kind == "random" ? 40 : 5);
  }
}

TEST(Space, CountsAreWhole) {
  const Space sampled = space(R"({"n": {"from": 0, "to": 20}})", R"({"random": 100, "seed": 1})");
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(sampled.at(i)[0].value.find_first_not_of("0123456789"), std::string::npos);
  const Space grid = space(R"({"n": ["1:7:x1.5", "0:1:+1"]})");
  std::string all;
  for (int i = 0; i < grid.size(); ++i) all += text(grid.at(i));
  EXPECT_EQ(all, "n=1 n=2 n=3 n=4 n=6 n=0 n=1 ");
  EXPECT_EQ(complaint([] { space(R"({"n": {"from": 0.5, "to": 2}})", R"({"random": 9})"); }),
            "s.json: n goes between whole numbers, not 0.5");
  EXPECT_EQ(complaint([] { space(R"({"n": "1:2.5"})"); }),
            "s.json: n: value '2.5' is not a whole number from 0 to 9007199254740992");
}

TEST(Space, SettingsOfANameAreAxes) {
  const Space s = space(R"({"f": ["h", "h:a=1"], "f.b": "1MiB:4MiB:x4", "f.c": ["1ms"]})");
  ASSERT_EQ(s.size(), 4);
  EXPECT_EQ(text(s.at(1)), "f=h f.b=4MiB f.c=1ms ");
  EXPECT_EQ(text(composed(s.at(1))), "f=h:b=4MiB,c=1ms ");
  EXPECT_EQ(text(composed(s.at(2))), "f=h:a=1,b=1MiB,c=1ms ");
  EXPECT_EQ(space(R"({"f": "h:a=1:8:x2,b=2,3"})").size(), 8);
  EXPECT_EQ(complaint([] { space(R"({"f.b": 1})"); }),
            "s.json: \"f.b\" needs \"f\": the name whose setting it is");
  EXPECT_EQ(complaint([] { space(R"({"f": "h", "f.b": "4MiB:1MiB"})"); }),
            "s.json: f.b: range '4MiB:1MiB' is empty: it begins after its end");
  EXPECT_EQ(complaint([] { space(R"({"n": 1, "n.b": 1})"); }).find("s.json: \"n.b\" is not a key here"), 0u);
}

TEST(Space, SettingsAreSampledInTheirUnits) {
  const Space s = space(
      R"({"f": "h", "f.size": {"from": "1KiB", "to": "1MiB", "scale": "log"}, "f.n": {"from": 1, "to": 4}, "f.t": {"from": "1ms", "to": "5ms"}, "f.x": {"from": 1.0, "to": 2}})",
      R"({"random": 50})");
  for (int i = 0; i < 50; ++i) {
    const Point p = s.at(i);
    EXPECT_EQ(p[1].value.find_first_not_of("0123456789"), std::string::npos) << p[1].value;
    EXPECT_EQ(p[2].value.find_first_not_of("1234"), std::string::npos) << p[2].value;
    EXPECT_TRUE(p[3].value.ends_with("ms") && p[3].value.size() <= 9) << p[3].value;
    EXPECT_NE(p[4].value.find('.'), std::string::npos) << p[4].value;
  }
  EXPECT_EQ(
      complaint([] { space(R"({"f": "h", "f.t": {"from": "5ms", "to": "1ms"}})", R"({"random": 9})"); }),
      "s.json: f.t is empty: from must be less than to");
}

/// A name is asked of with all others; a value that none takes is wrong.
TEST(Space, ChecksNamesWithTheirSettings) {
  const auto only_with_b = [](const std::string& name) {
    if (name != "h:b=1" && name != "g") throw InputError("no " + name);
  };
  const auto said = [&](const std::string& settings) {
    return complaint([&] { check_names(space(settings), "f", only_with_b); });
  };
  EXPECT_EQ(said(R"({"f": ["g", "x"]})"), "no x");
  EXPECT_EQ(said(R"({"f": "h", "f.b": 1})"), "");
  EXPECT_EQ(said(R"({"f": "h", "f.b": [1, 2]})"), "no h:b=2");
}

TEST(Sweep, ComplainsInOneLine) {
  const Verb verbs[] = {predict()};
  const std::string start = R"({"platform": "flat", "ranks": 2, "collective": "allreduce", )";
  const auto says = [&](const std::string& rest) {
    return complaint([&] { Sweep(start + rest, "s.json", verbs); });
  };
  EXPECT_EQ(says(R"("a\nb": 2})").find("s.json: \"a\\nb\" is not a key here"), 0u);
  EXPECT_EQ(says(R"("size": "1\n"})").find("s.json: size: size '1\\n'"), 0u);
}

/// Answers with the sum of a point's numbers a and b, by hand.
Verb sum() {
  static constexpr Key numbers[] = {{"a", Kind::number}, {"b", Kind::number}};
  return {"predict",
          numbers,
          {"a", "b"},
          [](const Point& p) {
            return Rows{Json::array({{{"sum", std::stod(p[0].value) + std::stod(p[1].value)}}}), {}};
          },
          nullptr,
          [](const Space&) { return std::vector<report::Column>{}; }};
}

TEST(Sweep, ValuesThatAreFiniteNumbersAreTold) {
  static constexpr Key words[] = {{"w", Kind::word}};
  const auto nothing = [](const Point&) { return Rows{Json::array({Json::object()}), {}}; };
  const auto no_columns = [](const Space&) { return std::vector<report::Column>{}; };
  const Verb verbs[] = {{"predict", words, {"w"}, nothing, nullptr, no_columns}};
  const std::string values =
      R"(["12", "1.5", "-3e2", "1e300", "inf", "nan", "-Infinity", "1e999", "0x10", ""])";
  const Sweep sweep(R"({"w": )" + values + "}", "s.json", verbs);
  const auto serially = [](const Next& next, const Answerer& answer, const Done& done) {
    while (const auto number = next()) done(*number, answer(*number));
  };
  const Summary all = answers(sweep, serially, [](auto, auto) {});
  std::string told;
  for (const Json& row : all.report.sections[0].rows) told += dump(row["w"]) + ' ';
  EXPECT_EQ(told, R"(12 1.5 -300 1e+300 "inf" "nan" "-Infinity" "1e999" "0x10" "" )");
}

TEST(Sweep, EndsEarlyAlongASetting) {
  const Verb verbs[] = {sum()};
  const std::string grid = R"({"a": [0, 10], "b": [1, 2, 5, 3, 9])";
  const Sweep all(grid + "}", "s.json", verbs);
  const Sweep some(grid + R"(, "stop": {"along": "b", "when": "sum", "above": 4}})", "s.json", verbs);
  const auto serially = [](const Next& next, const Answerer& answer, const Done& done) {
    while (const auto number = next()) done(*number, answer(*number));
  };
  const auto quiet = [](std::int64_t, std::int64_t) {};
  EXPECT_EQ(answers(all, serially, quiet).report.sections[0].rows.size(), 10u);
  const Summary ended = answers(some, serially, quiet);  // 0 + 1, 2, 5 and no further; 10 + 1 and no further
  std::string points;
  for (const Json& row : ended.report.sections[0].rows) points += dump(row["point"]) + ' ';
  EXPECT_EQ(points, "0 1 2 5 ");
  EXPECT_EQ(ended.stopped, 6);
  EXPECT_EQ(ended.missing, 0);
  EXPECT_EQ(ended.report.notes,
            (std::vector<std::string>{"6 points were left out: along b, behind one whose sum is above 4"}));
  // The same from a journal, of which only what is needed was asked.
  const Folder folder;
  Journal journal(folder / "j", some.identity("test"));
  std::int64_t asked = 0;
  run(some, {}, journal, serially, [&](std::int64_t, std::int64_t) { ++asked; });
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(dump(summary(some, journal).report.sections[0].rows), dump(ended.report.sections[0].rows));
}

TEST(Sweep, SaysWhatIsWrongWithAnEarlyEnd) {
  const Verb verbs[] = {sum()};
  const auto says = [&](const std::string& stop) {
    return complaint([&] { Sweep(R"({"a": [0, 1], "b": 1, "stop": )" + stop + "}", "s.json", verbs); });
  };
  const std::string form =
      R"(s.json: stop must be like {"along": "ranks", "when": "efficiency", "below": 0.5})";
  EXPECT_EQ(says("3"), form);
  EXPECT_EQ(says(R"({"along": "a", "when": "sum"})"), form);
  EXPECT_EQ(says(R"({"along": "a", "when": "sum", "below": "1"})"), form);
  EXPECT_EQ(says(R"({"along": "b", "when": "sum", "below": 1})"),
            R"(s.json: stop goes along "b", which is no setting that varies; a does)");
  const Sweep other(R"({"a": [0, 1], "b": 1, "stop": {"along": "a", "when": "product", "below": 1}})",
                    "s.json", verbs);
  const std::string none = R"(stop: rows have no number "product"; theirs are: sum)";
  EXPECT_EQ(answer(other, 0).text, none);
  const auto one_after_the_other = [](const Next& next, const Answerer& answer, const Done& done) {
    while (const auto number = next()) done(*number, answer(*number));
  };
  const auto unheard = [](std::int64_t, std::int64_t) { FAIL(); };
  EXPECT_EQ(complaint([&] { answers(other, one_after_the_other, unheard); }), none);
  const Folder folder;
  Journal journal(folder / "j", other.identity("test"));
  EXPECT_EQ(complaint([&] { run(other, {}, journal, one_after_the_other, unheard); }), none);
  EXPECT_FALSE(std::filesystem::exists(folder / "j"));
}

TEST(Journal, OnlyWhatWasBegunIsDiscarded) {
  const Folder folder;
  const Identity identity{"sweep", "platforms", "program"};
  { Journal(folder / "j", identity).add(0, {Outcome::Kind::refused, "why"}); }
  Journal again(folder / "j", identity);
  again.discard();
  EXPECT_EQ(Journal::identity(folder / "j").sweep, "sweep");
}

TEST(Sweep, AFileThatChangedIsAnotherSweep) {
  static constexpr Key words[] = {{"trace", Kind::word}};
  Verb verb = sum();
  verb.keys = words, verb.needed = {"trace"};
  const Verb verbs[] = {verb};
  const Folder folder;
  const std::string trace = folder / "t";
  const auto said = [&](const std::string& text) {
    std::ofstream(trace) << text;
    return Sweep(R"({"trace": ")" + folder.path() + R"(/t*"})", "s.json", verbs).identity("test").platforms;
  };
  const std::string before = said("one");
  EXPECT_EQ(before, said("one"));
  EXPECT_NE(before, said("two"));
}

/// What is fixed takes no prime: ten points reach the quarters of each axis, and no two axes go together.
TEST(Space, LowDiscrepancyCoversEachAxisThatVaries) {
  const std::string between = R"({"from": 0, "to": 1})";
  const std::string settings =
      R"({"platform": "flat", "ranks": 2, "size": 1, "set": {"a": 1, "b": 1, "v": )" + between +
      R"(, "w": )" + between + R"(, "x": )" + between + R"(, "y": )" + between + R"(, "z": )" + between +
      "}}";
  for (const std::string seed : {"1", "2", "3"}) {
    const Space s = space(settings, R"({"low-discrepancy": 10, "seed": )" + seed + "}");
    std::map<std::string, std::vector<double>> axes;
    for (std::int64_t i = 0; i < 200; ++i)
      for (const Setting& one : s.at(i))
        if (s.varies(one.key)) axes[one.key].push_back(std::stod(one.value));
    ASSERT_EQ(axes.size(), 5u);
    for (const auto& [key, values] : axes) {
      std::set<int> quarters;
      for (std::size_t i = 0; i < 10; ++i) quarters.insert(static_cast<int>(4 * values[i]));
      EXPECT_EQ(quarters.size(), 4u) << seed << ' ' << key;
      for (const auto& [other, theirs] : axes) {
        if (other == key) continue;
        double together = 0;
        for (std::size_t i = 0; i < 200; ++i) together += (values[i] - 0.5) * (theirs[i] - 0.5);
        EXPECT_LT(std::abs(together * 12 / 200), 0.15) << seed << ' ' << key << ' ' << other;
      }
    }
  }
}

TEST(Space, SaysWhatIsWrong) {
  const auto says = [](const std::string& settings, const std::string& sample = "") {
    return complaint([&] { space(settings, sample); });
  };
  EXPECT_EQ(says(R"({"rank": 2})"), "s.json: \"rank\" is not a key here; did you mean 'ranks'?");
  EXPECT_EQ(says(R"({"sampel": 2})"), "s.json: \"sampel\" is not a key here; did you mean 'sample'?");
  EXPECT_EQ(
      says(R"({"colour": 2})"),
      "s.json: \"colour\" is not a key here; expected one of: platform, ranks, size, n, x, f, set, about, "
      "ask, sample, stop");
  EXPECT_EQ(says(R"({"ranks": []})"), "s.json: ranks is an empty list");
  EXPECT_EQ(says(R"({"ranks": "8:4"})"), "s.json: ranks: range '8:4' is empty: it begins after its end");
  EXPECT_EQ(says(R"({"x": "4:1"})"), "s.json: x: range '4:1' is empty: it begins after its end");
  EXPECT_EQ(says(R"({"x": "0:1"})"),
            "s.json: x: range '0:1' begins at 0, from where no factor leads on; take a step, as in 0:8:+2");
  EXPECT_EQ(says(R"({"x": {"from": 2, "to": 2}})"), "s.json: x is empty: from must be less than to");
  EXPECT_EQ(says(R"({"x": {"from": 2}})"), "s.json: x has no \"to\"");
  EXPECT_EQ(says(R"({"x": {"from": 0, "to": 2, "scale": "log"}})"),
            "s.json: x begins at 0, which a log scale does not have");
  EXPECT_EQ(says(R"({"x": {"from": 1, "to": 2, "scale": "ln"}})"),
            "s.json: x.scale must be \"linear\" or \"log\"");
  EXPECT_EQ(says(R"({"x": {"from": 1, "to": 2, "step": 1}})"),
            "s.json: x knows no \"step\"; it has from, to and scale");
  EXPECT_EQ(says(R"({"x": {"from": "1", "to": 2}})"), "s.json: x.from must be a number");
  EXPECT_EQ(says(R"({"platform": {"from": 1, "to": 2}})"),
            "s.json: platform must be a word or a list of words");
  EXPECT_EQ(says(R"({"x": [[1]]})"),
            "s.json: x must be a value, a range like \"1KiB:1GiB:x2\" or a list of them");
  EXPECT_EQ(says(R"({"set": 3})"),
            "s.json: set must hold parameters and their values, as {\"network.bandwidth_GBps\": [10, 25]}");
  EXPECT_EQ(says(R"({"x": {"from": 1, "to": 2}})"),
            "s.json: x goes from one number to another, which a grid cannot; sample it");
  const std::string sample =
      R"(s.json: sample must be "grid", {"random": 1000, "seed": 1} or {"low-discrepancy": 1000, "seed": 1})";
  EXPECT_EQ(says("{}", R"("sobol")"), sample);
  EXPECT_EQ(says("{}", R"({"random": "many"})"), sample);
  EXPECT_EQ(says("{}", R"({"random": 5, "sead": 1})"), sample);
  for (const std::string seed : {"-1", "1.5", "\"one\""})
    EXPECT_EQ(says("{}", R"({"random": 5, "seed": )" + seed + "}"),
              "s.json: sample takes a seed that is a whole number from 0, not " + seed);
  EXPECT_EQ(says("{}", R"({"random": 0})"), "s.json: sample takes 1 to 10,000,000 points, not 0");
  EXPECT_EQ(says("{}", R"({"random": 18446744073709551615})"),
            "s.json: sample takes 1 to 10,000,000 points, not 18446744073709551615");
  EXPECT_EQ(says(R"({"x": "1:90000:+1", "ranks": "1:90000:+1"})"),
            "s.json: the grid has more than 10,000,000 points; sample it");
}

/// Answers each point with its own values; what it was asked is written down, one line a question.
Verb echo(
    const std::string& asked, const std::function<void(const Point&)>& act = [](const Point&) {}) {
  Verb v;
  v.name = "echo";
  v.keys = keys;
  v.answer = [asked, act](const Point& p) {
    act(p);
    std::ofstream(asked, std::ios::app) << text(p) << std::endl;
    Rows rows;
    rows.rows.push_back({{"told", text(p)}});
    return rows;
  };
  v.columns = [](const Space&) { return std::vector<report::Column>{}; };
  return v;
}

std::size_t lines(const std::string& file) {
  std::ifstream in(file);
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

const std::string forty = R"({"ask": "echo", "ranks": "1:40:+1"})";

std::string rows(const Sweep& sweep, const std::string& folder, int workers, Part part = {}) {
  Journal journal(folder, sweep.identity("test"));
  run(sweep, part, journal, processes(workers), [](auto, auto) {});
  return report::render(summary(sweep, journal).report, report::Format::json);
}

TEST(Sweep, OneProcessOrSeveralPartsOrWholeTheRowsAreTheSame) {
  const Folder folder;
  const std::vector verbs{echo(folder / "asked")};
  const Sweep sweep(forty, "s.json", verbs);
  const std::string one = rows(sweep, folder / "one", 1);
  EXPECT_EQ(rows(sweep, folder / "three", 3), one);
  EXPECT_EQ(lines(folder / "asked"), 80u);
  EXPECT_EQ(rows(sweep, folder / "three", 2), one);  // nothing is asked again
  EXPECT_EQ(lines(folder / "asked"), 80u);

  rows(sweep, folder / "a", 2, {0, 2});
  rows(sweep, folder / "b", 1, {1, 2});
  Journal both(folder / "both", sweep.identity("test"));
  both.merge(folder / "b");
  EXPECT_EQ(summary(sweep, both).missing, 20);
  both.merge(folder / "a");
  both.merge(folder / "one");  // agrees
  EXPECT_EQ(report::render(summary(sweep, both).report, report::Format::json), one);
}

TEST(Sweep, AKilledSweepLosesNothingThatWasFinished) {
  const Folder folder;
  const std::vector verbs{echo(folder / "asked", [](const Point&) { usleep(1000); })};
  const Sweep sweep(forty, "s.json", verbs);
  std::int64_t before = 0;
  int kills = 0;
  for (; kills < 100; ++kills) {
    const pid_t child = fork();
    if (child == 0) {
      rows(sweep, folder / "killed", 2);
      _exit(0);
    }
    usleep(static_cast<useconds_t>(4000 + 700 * (kills % 7)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) break;
    usleep(2000);  // its workers end
    Journal journal(folder / "killed", sweep.identity("test"));
    const std::int64_t now = summary(sweep, journal).answered;
    EXPECT_GE(now, before);
    before = now;
    if (now == 40) break;
  }
  const std::string end = rows(sweep, folder / "killed", 2);
  EXPECT_LE(lines(folder / "asked"), 40u + 2u * static_cast<unsigned>(kills + 1));  // two in flight each time
  EXPECT_EQ(end, rows(sweep, folder / "whole", 1));
}

TEST(Sweep, AFailingPointIsListedTheOthersGoOn) {
  const Folder folder;
  const std::string flag = folder / "repaired";
  const std::vector verbs{echo(folder / "asked", [&](const Point& p) {
    if (p[0].value == "3" || p[0].value == "13") throw InputError("three is no number");
    if (p[0].value == "5" && access(flag.c_str(), F_OK) != 0) raise(SIGKILL);
    if (p[0].value == "7" && access(flag.c_str(), F_OK) != 0) throw SubstrateError("no more memory");
    if (p[0].value == "9" && access(flag.c_str(), F_OK) != 0) throw 9;  // which nobody catches
  })};
  const Sweep sweep(forty, "s.json", verbs);
  {
    Journal journal(folder / "j", sweep.identity("test"));
    run(sweep, {}, journal, processes(2), [](auto, auto) {});
    const Summary s = summary(sweep, journal);
    EXPECT_EQ(s.answered, 35);
    ASSERT_EQ(s.failed, 5);
    EXPECT_EQ(s.report.head["failed"][0].dump(), R"({"point":2,"ranks":3,"reason":"three is no number"})");
    EXPECT_EQ(s.report.head["failed"][1]["reason"], "its process was killed by signal 9 (Killed)");
    EXPECT_EQ(s.report.head["failed"][2]["reason"], "no more memory");
    EXPECT_EQ(s.report.head["failed"][3]["reason"], "its process was killed by signal 6 (Aborted)");
    ASSERT_EQ(s.report.notes.size(), 4u);
    EXPECT_EQ(s.report.notes[0], "point 2 (ranks 3) and 1 more failed: three is no number");
    EXPECT_EQ(s.report.notes[2], "point 6 (ranks 7) failed: no more memory");
  }
  std::ofstream(flag) << 1;  // what was lost is asked again, what makes no sense is not
  Journal journal(folder / "j", sweep.identity("test"));
  const std::size_t asked = lines(folder / "asked");
  run(sweep, {}, journal, processes(2), [](auto, auto) {});
  EXPECT_EQ(summary(sweep, journal).failed, 2);
  EXPECT_EQ(lines(folder / "asked"), asked + 3);
}

TEST(Journal, BelongsToOneSweepAndOneProcess) {
  const Folder folder;
  const Identity mine{"a", "p", "1"};
  const std::string in = " is the journal of ";
  {
    Journal journal(folder.path(), mine);
    journal.add(3, {Outcome::Kind::answered, "[]"});
    EXPECT_EQ(complaint([&] { Journal again(folder.path(), mine); }),
              "'" + folder / "journal.sqlite" +
                  "' is in use by another sweep; wait for it, or choose another folder");
  }
  const auto refusal = [&](const Identity& other) {
    return complaint([&] { Journal j(folder.path(), other); });
  };
  const std::string file = "'" + folder / "journal.sqlite" + "'";
  EXPECT_EQ(refusal({"b", "p", "1"}), file + in + "another sweep; choose another folder");
  EXPECT_EQ(refusal({"a", "q", "1"}),
            file + in + "this sweep on platforms that have changed since; choose another folder");
  EXPECT_EQ(refusal({"a", "p", "2"}),
            file + in + "this sweep by another version of the program; choose another folder");
  EXPECT_EQ(refusal(mine), "");
  EXPECT_EQ(complaint([&] { Journal::identity(folder / "none"); }),
            "there is no journal of a sweep in '" + folder / "none" + "'");
  std::ofstream(folder / "journal.sqlite") << std::string(5000, 'x');
  EXPECT_EQ(refusal(mine), file + " is not the journal of a sweep, or is damaged");
}

/// What something else than this program does to a journal.
void tamper(const std::string& folder, const std::string& sql) {
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open((folder + "/journal.sqlite").c_str(), &file), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(file);
  sqlite3_close(file);
}

TEST(Journal, WhatIsDamagedIsAskedAgain) {
  const Folder folder;
  const Verb verbs[] = {sum()};
  const Sweep sweep(R"({"a": [0, 10], "b": [1, 2, 5, 3, 9]})", "s.json", verbs);
  const std::string at = folder / "j";
  const auto go_on = [&] {
    Journal journal(at, sweep.identity("test"));
    run(sweep, {}, journal, processes(1), [](auto, auto) {});
    return std::pair(journal.damaged(), dump(summary(sweep, journal).report.sections[0].rows));
  };
  const auto [none, whole] = go_on();
  EXPECT_EQ(none, 0);
  for (const std::string damage :
       {"text = ''", "text = replace(text, '12', '13')", "text = '{\"rows\":[]}'", "text = x'00'", "kind = 2",
        "kind = 1", "kind = 7", "number = -4", "number = 1000", "sum = ''"}) {
    tamper(at, "UPDATE points SET " + damage + " WHERE number = 6");
    EXPECT_EQ(go_on(), std::pair(std::int64_t{1}, whole)) << damage;
    EXPECT_EQ(go_on(), std::pair(std::int64_t{0}, whole)) << damage;
  }
  const auto refusal = [&](const std::string& sql) {
    tamper(at, sql);
    return complaint([&] { Journal::identity(at); });
  };
  const std::string file = "'" + at + "/journal.sqlite'";
  EXPECT_EQ(refusal("UPDATE sweep SET value = replace(value, '10', '11') WHERE key = 'sweep'"),
            file + " is damaged: what its sweep is");
  EXPECT_EQ(refusal("UPDATE sweep SET value = 'collcast sweep 2' WHERE key = 'form'"),
            file + " is not the journal of a sweep of this program, or is damaged");
  EXPECT_EQ(refusal("ALTER TABLE sweep RENAME COLUMN value TO worth"),
            file + " is not the journal of a sweep, or is damaged");
}

TEST(Journal, APointThatCannotBeIsNone) {
  const Folder folder;
  const Verb verbs[] = {sum()};
  const Sweep sweep(R"({"a": 1, "b": 2})", "s.json", verbs);
  const std::pair<std::int64_t, std::string> all[] = {
      {1, R"({"rows":[],"notes":[]})"},  {-1, ""}, {0, "no"}, {0, R"({"rows":[1],"notes":[]})"},
      {0, R"({"rows":[],"notes":[1]})"}, {0, "[]"}};
  int at = 0;
  for (const auto& [number, text] : all) {
    Journal journal(folder / std::to_string(++at), sweep.identity("test"));
    journal.add(number, {Outcome::Kind::answered, text});
    EXPECT_EQ(complaint([&] { summary(sweep, journal); }).substr(0, 38),
              "the journal is none of this sweep: it ")
        << text;
  }
}

TEST(Journal, ContradictionsAreRefused) {
  const Folder folder;
  const Identity mine{"a", "p", "1"};
  {
    Journal other(folder / "other", mine);
    other.add(0, {Outcome::Kind::answered, "1"});
  }
  Journal journal(folder / "mine", mine);
  journal.add(0, {Outcome::Kind::lost, "killed"});
  journal.merge(folder / "other");
  journal.each([](std::int64_t, const Outcome& o) { EXPECT_EQ(o.text, "1"); });
  journal.add(0, {Outcome::Kind::answered, "2"});
  EXPECT_EQ(complaint([&] { journal.merge(folder / "other"); }),
            "'" + folder / "other" + "/journal.sqlite' contradicts another journal at point 0");
}

TEST(Journal, AFullDiskIsAFailureBelowUs) {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Journal journal(folder.path(), {"a", "p", "1"});
    try {
      for (int i = 0;; ++i) journal.add(i, {Outcome::Kind::answered, std::string(1000, 'x')});
    } catch (const SubstrateError&) {
      _exit(3);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  Journal journal(folder.path(), {"a", "p", "1"});
  std::int64_t kept = 0;
  journal.each([&](std::int64_t number, const Outcome& o) {
    EXPECT_EQ(number, kept++);
    EXPECT_EQ(o.text.size(), 1000u);
  });
  EXPECT_GT(kept, 10);  // each takes a page of 4 KiB or two of the log
}

Sweep predictions(const std::string& settings, const std::vector<Verb>& verbs) {
  return {settings, "s.json", verbs};
}

TEST(PredictSweep, RowsAreThoseOfPredictWithWhatVaries) {
  const Folder folder;
  const std::vector verbs{predict()};
  const Sweep sweep =
      predictions(R"({"platform": "flat", "ranks": 8, "collective": "allreduce", "size": "1MiB",
    "algorithm": "ring", "set": {"network.bandwidth_GBps": [12.5, 25]}, "policy": "fastest"})",
                  verbs);
  const Json said = parse_json(rows(sweep, folder / "j", 2));
  ASSERT_EQ(said["rows"].size(), 2u);
  EXPECT_EQ(said["rows"][0]["network.bandwidth_GBps"], 12.5);
  EXPECT_EQ(said["rows"][1]["network.bandwidth_GBps"], 25);
  // 14 steps of 1 us; 14 chunks of 131072 B at 0.08 and 0.04 ns, 7 of them reduced at 0.01 ns.
  EXPECT_NEAR(said["rows"][0]["time_s"], 169.97568e-6, 1e-12);
  EXPECT_NEAR(said["rows"][1]["time_s"], 96.57536e-6, 1e-12);
}

/// A message of a few bytes rests on latency; one GPU of a node on no network.
TEST(PredictSweep, NeighbouringValuesThatMoveNothingAreSaid) {
  const auto notes = [](const std::string& platform, const std::string& set) {
    const Verb verbs[] = {predict()};
    const Sweep sweep(
        R"({"collective": "allreduce", "algorithm": "ring", "ranks": 4, "size": ["1KiB", "1MiB"],
            "transport": "mpi", "platform": ")" +
            platform + R"(", "set": )" + set + "}",
        "s.json", verbs);
    return answers(sweep, processes(1), [](std::int64_t, std::int64_t) {}).report.notes;
  };
  const std::vector<std::string> said = notes("dgx-1v", R"({"network.bandwidth_GBps": [10, 11, 12]})");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "network.bandwidth_GBps from 10 to 12 does not change the answer");
  EXPECT_TRUE(notes("flat", R"({"network.bandwidth_GBps": [10, 11, 12]})").empty());
}

TEST(PredictSweep, WrongNamesAreFoundBeforeAnythingIsAsked) {
  const std::vector verbs{predict()};
  const auto says = [&](const std::string& more) {
    return complaint([&] {
      predictions(R"({"platform": "flat", "ranks": 8, "collective": "allreduce", "size": 1)" + more + "}",
                  verbs);
    });
  };
  EXPECT_EQ(says(""), "");
  EXPECT_NE(says(R"(, "policy": ["fastest", "mpihc"])").find("did you mean 'mpich'"), std::string::npos);
  EXPECT_NE(says(R"(, "engine": "fast")").find("fast"), std::string::npos);
  EXPECT_NE(says(R"(, "memory": "disk")").find("host or device"), std::string::npos);
  const auto of_gpus = [&](const std::string& gpus, const std::string& more = "") {
    return complaint([&] {
      predictions(R"({"platform": "summit", "ranks": 4, "collective": "allreduce", "size": 1,
                      "set": {"node.gpus": )" +
                      gpus + "}" + more + "}",
                  verbs);
    });
  };
  for (const char* gpus : {R"("foo")", "0", "2.5", "300", "[4, 0]"})
    EXPECT_TRUE(std::regex_search(of_gpus(gpus), std::regex("not a whole number|must be an integer")))
        << of_gpus(gpus);
  EXPECT_NE(
      of_gpus(R"({"from": 2.5, "to": 6})", R"(, "sample": {"random": 3})").find("goes between whole numbers"),
      std::string::npos);
  EXPECT_EQ(of_gpus(R"({"from": 2, "to": 6})", R"(, "sample": {"random": 3})"), "");
  EXPECT_NE(says(R"(, "ask": "replya")").find("expected one of: predict"), std::string::npos);
  EXPECT_EQ(complaint([&] { predictions(R"({"platform": "flat", "ranks": 8, "size": 1})", verbs); }),
            "s.json: \"collective\" is missing");
}

}  // namespace
}  // namespace collcast::sweep
