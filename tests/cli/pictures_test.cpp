// SPDX-License-Identifier: Apache-2.0
// Timelines, pages and plots as users ask for them: what they hold is the answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "support/json.hpp"
#include "tests/cli/collcast.hpp"
#include "tests/folder.hpp"
#include "tests/sanitized.hpp"

namespace {

using namespace collcast;
using collcast::testing::Outcome, collcast::testing::trace, collcast::testing::has_simgrid;
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
  const std::string call = "predict allreduce --platform summit --ranks 12 --size 1MiB --algorithm ring";
  for (const std::string engine : {" --engine path", " --engine contention", " --transport nccl-2.18:LL",
                                   has_simgrid ? " --engine simgrid" : ""}) {
    const std::string file = folder / "timeline.json";
    const double time = answer(call + engine + " --timeline " + file)["predictions"][0]["time_s"];
    const Json timeline = parse_json(text_of(file));
    EXPECT_NEAR(last_end(timeline), time, 1e-9 * time + 1e-11) << engine;
    EXPECT_EQ(timeline["otherData"]["time_s"].get<double>(), time);
    EXPECT_EQ(timeline["otherData"]["algorithm"], "ring");
  }
}

/// What a page holds as JSON.
Json data_of(const std::string& page) {
  const std::string html = text_of(page), mark = "id=\"data\">";
  const std::size_t begin = html.find(mark);
  EXPECT_NE(begin, std::string::npos);
  if (begin == std::string::npos) return {};
  return parse_json(html.substr(begin + mark.size(), html.find("</script>", begin) - begin - mark.size()));
}

TEST(Pictures, AnInspectionHasAPage) {
  const Folder folder;
  const std::string page = folder / "i.html", alike = folder / "d.html";
  const Json a = answer("inspect " + trace + " --report " + page);
  EXPECT_EQ(data_of(page)["operations"], a["operations"]);
  EXPECT_NE(text_of(page).find("Messages between ranks"), std::string::npos);
  const Outcome o = run("inspect " + trace + " --like deepintrospect --report " + alike);
  const Json dump = parse_json(o.out);
  EXPECT_EQ(data_of(alike), dump);
  for (const Json& d : dump) {  // each size once, and they add up
    std::int64_t count = 0;
    std::vector<Json> sizes;
    for (const Json& of : d["stats"])
      count += of["count"].get<std::int64_t>(), sizes.push_back(of["msg_size"]);
    EXPECT_EQ(count, d["count"].get<std::int64_t>()) << d["operation"];
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(std::unique(sizes.begin(), sizes.end()), sizes.end()) << d["operation"];
  }
}

TEST(Pictures, APageShowsTheSensitivityThatWasAskedFor) {
  const Folder folder;
  const std::string page = folder / "s.html";
  answer("predict allreduce --platform flat --ranks 4 --size 1MiB --algorithm ring --sensitivity --report " +
         page);
  EXPECT_NE(text_of(page).find(">Sensitivity</h2>"), std::string::npos);
}

TEST(Pictures, AReplayHasATimelineAndAPage) {
  const Folder folder;
  const std::string json = folder / "t.json", page = folder / "t.html";
  const Json a = answer("replay " + trace + " --platform edr-cluster --engine path --timeline " + json +
                        " --timeline-events 20000 --explain --report " + page);
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
  for (const char* title : {"Totals", "Where the time goes", "The chain of causes", "Operations by size",
                            "What ranks do when", "Use of the machine", "Not modelled", "pedigree"})
    EXPECT_NE(html.find(title), std::string::npos) << title;
}

/// The critical path has messages that meet on a link pass each other; they are shown in turns.
TEST(Pictures, ATimelineSaysWhereItDoesNotEndAtTheAnswer) {
  const Folder folder;
  const std::string json = folder / "t.json";
  const Json a = answer(
      "predict alltoall --platform frontier --ranks 10 --size 1MiB --algorithm pairwise --memory host "
      "--engine path --timeline " +
      json);
  const Json timeline = parse_json(text_of(json));
  const double shown = timeline["otherData"]["shown_s"];
  EXPECT_NEAR(last_end(timeline), shown, 1e-9);
  EXPECT_GT(shown, 1.1 * a["predictions"][0]["time_s"].get<double>());
}

TEST(Pictures, NcclsChannelsAreShownAsTheyArePlayed) {
  const Folder folder;
  const std::string json = folder / "t.json";
  collcast::testing::EachOrOneIn tried(3);
  for (const char* call : {"allreduce --size 16MiB", "alltoall --size 1MiB", "broadcast --size 1KiB"}) {
    if (!tried()) continue;
    const Json a =
        answer("predict " + std::string(call) + " --platform dgx-a100 --ranks 20 --policy nccl-2.18" +
               " --engine contention --timeline " + json);
    EXPECT_NEAR(last_end(parse_json(text_of(json))), a["predictions"][0]["time_s"].get<double>(), 1e-9)
        << call;
  }
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

/// By activities of roles; where messages are played by ranks, with the use of links.
TEST(Pictures, AJobHasATimelineAndAPage) {
  const Folder folder;
  const std::string json = folder / "t.json", page = folder / "t.html";
  const std::string call = "job p3dfft:n=64 --platform edr-cluster --ranks 8 --policy openmpi-4.0 --explain";
  for (const std::string engine : {"", " --engine path", " --engine contention"}) {
    const Json a = answer(call + engine + " --timeline " + json + " --report " + page);
    const double time = a["rows"][0]["step_s"];
    const Json timeline = parse_json(text_of(json));
    EXPECT_NEAR(last_end(timeline), time, 1e-9 * time + 1e-11) << engine;
    EXPECT_EQ(timeline["otherData"]["time_s"].get<double>(), time);
    const Json data = data_of(page);
    EXPECT_EQ(data["rows"], a["rows"]);
    EXPECT_EQ(data.contains("run"), !engine.empty()) << engine;
    EXPECT_TRUE(engine.empty() || !data["run"]["links_by_kind"].empty()) << engine;
    const std::string html = text_of(page);
    EXPECT_NE(html.find(engine.empty() ? "A step on 8 ranks" : "Use of the machine"), std::string::npos);
    EXPECT_NE(html.find("Where the time goes"), std::string::npos);
  }
  answer("job p3dfft:n=64 --platform edr-cluster --ranks 8,16 --policy openmpi-4.0 --engine path --report " +
         page);
  EXPECT_NE(text_of(page).find("Not known: messages are shown only where a single number of ranks"),
            std::string::npos);
}

TEST(Pictures, ATrainingStepsPageShowsTheMachineWhereMessagesArePlayed) {
  const Folder folder;
  const std::string json = folder / "t.json", page = folder / "t.html";
  answer(
      "train --model resnet50 --platform edr-cluster --ranks 8 --framework horovod --policy openmpi-4.0 "
      "--engine contention --timeline " +
      json + " --report " + page);
  EXPECT_EQ(text_of(page).find("Not known"), std::string::npos);
  bool nic = false;
  const Json kinds = data_of(page)["run"]["links_by_kind"];
  for (const Json& kind : kinds) nic = nic || (kind["name"] == "NIC out" && kind["busiest_bytes"] > 100e6);
  EXPECT_TRUE(nic);  // 102 MB of gradients, nearly twice
  std::string processes;
  const Json timeline = parse_json(text_of(json));
  for (const Json& e : timeline["traceEvents"])
    if (e["ph"] == "M" && e["name"] == "process_name")
      processes += e["args"]["name"].get<std::string>() + ";";
  EXPECT_NE(processes.find("rank 7;"), std::string::npos) << processes;
  answer("train --model resnet50 --platform edr-cluster --ranks 8 --engine path --report " + page);
  EXPECT_NE(text_of(page).find("Not known: no message was sent; collectives of NCCL"), std::string::npos);
}

TEST(Pictures, APageOfAPredictionHoldsItsNumbers) {
  const Folder folder;
  const std::string page = folder / "p.html";
  const Json a =
      answer("predict allreduce --platform flat --ranks 8 --size 1KiB,1MiB --algorithm all --report " + page);
  const std::string html = text_of(page), mark = "id=\"data\">";
  const std::size_t begin = html.find(mark) + mark.size();
  EXPECT_EQ(parse_json(html.substr(begin, html.find("</script>", begin) - begin)), a);
  EXPECT_NE(html.find("Not known: messages are shown only where a single collective"), std::string::npos);
}

/// Each of 24 NICs of 11.5 GB/s sends 46/24 of the message. By itself the program takes the critical path for
/// a ring, but contention for what it shows: the same time, and the links on the way as well.
TEST(Pictures, APageShowsTheMachine) {
  const Folder folder;
  const std::string
      page = folder / "m.html",
      call = "predict allreduce --platform edr-cluster --ranks 24 --size 1MiB --algorithm ring --report " +
             page + " --engine ";
  for (const std::string engine : {"auto", "path", "contention"}) {
    const Json a = answer(call + engine);
    const double sent = 1048576 * 46.0 / 24;
    bool leaves = false;
    const Json kinds = data_of(page)["run"]["links_by_kind"];
    for (const Json& kind : kinds) {
      leaves = leaves || kind["name"] == "leaf up";
      if (kind["name"] != "NIC out") continue;
      EXPECT_EQ(kind["links"], 24);
      EXPECT_NEAR(kind["busiest_bytes"].get<double>(), sent, 1);
      EXPECT_NEAR(kind["mean_share"].get<double>() * a["predictions"][0]["time_s"].get<double>(),
                  sent / 11.5e9,
                  0.01 * sent / 11.5e9);  // a port is busy for the overheads, too
    }
    EXPECT_EQ(leaves, engine != "path");
    EXPECT_NE(text_of(page).find(engine == "path" ? "no message begins or ends here" : "carried nothing"),
              std::string::npos);
  }
  answer(call + "formula");
  EXPECT_NE(text_of(page).find("Not known: --engine formula plays no messages"), std::string::npos);
}

/// gnuplot's SVG of a run with --plot.
std::string plotted(const Folder& folder, const std::string& arguments) {
  const std::string file = folder / "plot.svg";
  const Outcome o = run(arguments + " --plot " + file);
  EXPECT_EQ(o.code, 0) << arguments << "\n" << o.err;
  return text_of(file);
}
void expect_words(const std::string& svg, std::initializer_list<const char*> all) {
  for (const char* words : all) EXPECT_NE(svg.find(words), std::string::npos) << words;
}
bool has_gnuplot() {
  return std::system("gnuplot --version > /dev/null 2>&1") == 0;
}

TEST(Plots, ASweepShowsTheNumberThatVariesMost) {
  if (!has_gnuplot()) GTEST_SKIP() << "there is no gnuplot";
  const Folder folder;
  const std::string file = folder / "s.json";
  std::ofstream(file)
      << R"({"about":"it's here","platform":"flat","ranks":[4,8],"collective":"allreduce",)"
         R"("algorithm":["ring","rabenseifner"],"engine":"path","size":["1KiB","32KiB","1MiB"]})";
  const std::string by_size = plotted(folder, "sweep " + file + " -o " + (folder / "j"));
  expect_words(by_size, {"4 ranks, ring", "8 ranks, ring", "4 ranks, rabenseifner", "8 ranks, rabenseifner",
                         ">1 KiB<", ">32 KiB<", ">1 MiB<", ">message<", ">time<", "it's here"});
  const std::string by_ranks = plotted(folder, "sweep --plot-over ranks --resume " + (folder / "j"));
  expect_words(by_ranks, {"1 KiB, ring", "1 MiB, rabenseifner", ">4<", ">8<", ">ranks<"});
  for (const std::string& words :
       {"sweep --resume " + (folder / "j") + " --plot-over algorithm --plot " + (folder / "n.svg"),
        "sweep --resume " + (folder / "j") + " --plot-over ranks",
        "sweep " + file + " --slurm --plot " + (folder / "n.svg"),
        "sweep " + file + " --plot " + (folder / "n.pdf")}) {
    const Outcome o = run(words);
    EXPECT_EQ(o.code, 2) << words;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
  EXPECT_NE(run("sweep --resume " + (folder / "j") + " --plot-over root --plot " + (folder / "n.svg"))
                .err.find("these are: size, ranks"),
            std::string::npos);
  EXPECT_TRUE(text_of(folder / "n.svg").empty());
}

TEST(Plots, ASweepOfTrainingShowsItsStep) {
  if (!has_gnuplot()) GTEST_SKIP() << "there is no gnuplot";
  const Folder folder;
  const std::string file = folder / "s.json";
  std::ofstream(file) << R"({"ask":"train","platform":"edr-cluster","model":"resnet50","ranks":[8,16],)"
                         R"("set":{"network.bandwidth_GBps":[6.25,12.5,25]}})";
  expect_words(
      plotted(folder, "sweep " + file + " -o " + (folder / "j")),
      {"8 ranks", "16 ranks", ">6.25<", ">12.5<", ">25<", "time of a step", "network.bandwidth_GBps"});
}

TEST(Plots, TuneShowsTheDefaultAndWhereTheFileChangesItsMind) {
  if (!has_gnuplot()) GTEST_SKIP() << "there is no gnuplot";
  const Folder folder;
  const std::string call =
      "tune --for openmpi --platform frontera --ranks 16 --size 1KiB,64KiB,4MiB --engine path --collective "
      "allreduce,bcast";
  const std::string svg = plotted(folder, call);
  expect_words(svg, {"the library's default", "with the file (shaded: interval)", ">allreduce<",
                     ">broadcast<", ">1 KiB<", ">64 KiB<", ">4 MiB<"});
  const Json tuned = answer(call);
  for (const Json& rule : tuned["rules"])
    if (rule["from_bytes"] != 0) expect_words(svg, {rule["algorithm"].get<std::string>().c_str()});
  EXPECT_EQ(run(call + " --plot " + (folder / "a.pdf")).code, 2);
}

TEST(Plots, GapShowsACurveOfEach) {
  if (!has_gnuplot()) GTEST_SKIP() << "there is no gnuplot";
  const Folder folder;
  const std::string call =
      "gap allreduce --platform edr-cluster --ranks 4 --size 1KiB,64KiB,4MiB --engine path --policy "
      "nccl-2.18";
  expect_words(plotted(folder, call),
               {">bound<", ">synthesized<", ">catalogue<", ">nccl-2.18<", ">1 KiB<", ">4 MiB<"});
  EXPECT_EQ(run(call + " --plot " + (folder / "a.pdf")).code, 2);
}

TEST(Plots, PlanMarksItsAnswer) {
  if (!has_gnuplot()) GTEST_SKIP() << "there is no gnuplot";
  const Folder folder;
  const std::string call =
      "plan --model resnet50 --throughput 300 --samples 115e6 --platform flat,edr-cluster --ranks 4,8 ";
  expect_words(plotted(folder, call + "--time 20h --price flat=20 --price edr-cluster=18"),
               {"the answer: edr-cluster, 8 ranks", ">flat<", "cost [USD]", "time [h]", "limit of time",
                ">4<", ">8<", "hollow: outside the limits"});
  const std::string late = folder / "late.svg";
  EXPECT_EQ(run(call + "--time 1s --plot " + late).code, 1);
  expect_words(text_of(late), {">nodes<", ">flat<"});
  EXPECT_EQ(text_of(late).find("the answer"), std::string::npos);
  EXPECT_EQ(run(call + "--plot " + (folder / "a.pdf")).code, 2);
}

TEST(Pictures, BadOnesAreOneLineBeforeTheForecast) {
  const Folder folder;
  const std::string call = "predict allreduce --platform flat --ranks 4 --size 1KiB ";
  for (const std::string& words :
       {call + "--timeline a.txt", call + "--timeline " + (folder / "none/a.json"), call + "--report a.pdf",
        call + "--report " + (folder / "none/a.html"), call + "--plot a.pdf",
        call + "--algorithm ring,swing --plot a.pdf",
        call + "--timeline-events 1 --timeline " + (folder / "a.json"),
        call + "--algorithm ring --engine formula --timeline " + (folder / "a.json"),
        "predict allreduce --platform flat --ranks 4,8 --size 1KiB --timeline " + (folder / "a.json"),
        "predict allreduce --platform flat --ranks 4 --size 1KiB --algorithm all --timeline " +
            (folder / "a.json"),
        "train --model resnet50 --platform summit --ranks 6,12 --timeline " + (folder / "a.json"),
        "job kmeans --platform summit --ranks 6,12 --timeline " + (folder / "a.json"),
        "job kmeans --platform summit --ranks 6 --engine path --report " + (folder / "a.pdf")}) {
    const Outcome o = run(words);
    EXPECT_EQ(o.code, 2) << words << "\n" << o.out << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << words << "\n" << o.err;
  }
  EXPECT_TRUE(text_of(folder / "a.json").empty());
}

}  // namespace
