// SPDX-License-Identifier: Apache-2.0
// What a new user meets: mistakes that lead on, help and tables that fit, completions, manual pages, words.
#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "support/wrap.hpp"
#include "tests/cli/collcast.hpp"

namespace {

using collcast::testing::collcast, collcast::testing::Outcome, collcast::testing::shell;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    most = std::max(most, ::collcast::shown_width(line));
  }
  return most;
}

std::vector<std::string> verbs() {
  std::vector<std::string> names;
  std::istringstream lines(collcast("--help").out);
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (listed && line.size() > 2 && line.starts_with("  ") && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    listed |= line == "Subcommands:";
  }
  return names;
}

TEST(Mistakes, LeadOn) {
  const std::string predict = "predict allreduce --platform flat --ranks 4 --size 1KiB ";
  for (const auto& [words, said] : std::vector<std::pair<std::string, std::string>>{
           {"predit", "there is no verb 'predit'; did you mean 'predict'?"},
           {"frobnicate", "there is no verb 'frobnicate'; there are: algorithms, platforms, "},
           {"", "a verb is missing; there are: algorithms, platforms, "},
           {predict + "--algoritm ring", "predict has no --algoritm; did you mean --algorithm?"},
           {predict + "--xyzzy 3", "predict has no --xyzzy; it takes --help, -h, "},
           {"predict allreduce --platfrom flat", "predict has no --platfrom; did you mean --platform?"},
           {"predict allredcue --platform flat --ranks 4 --size 1",
            "unknown collective 'allredcue'; did you mean 'allreduce'?"},
           {"predict nosuch --platform flat --ranks 4 --size 1",
            "unknown collective 'nosuch'; there are: allreduce, reduce-scatter, "},
           {predict + "--policy nccl", "unknown policy 'nccl'; did you mean 'nccl-2.7', 'nccl-2.8', ... or"},
           {predict + "--policy nosuch", "unknown policy 'nosuch'; there are: mpich, "},
           {"predict allreduce --platform nosuch --ranks 4 --size 1",
            "there is no platform 'nosuch' (known: flat, summit, "},
           {"predict allreduce --platform sumit --ranks 4 --size 1",
            "there is no platform 'sumit'; did you mean summit? (known: "},
           {predict + "--algorithm rin",
            "no algorithm 'rin' for allreduce; did you mean 'ring'? there are: ring, "},
           {predict + "--set network.bandwith=25",
            "--set: network.bandwith: flat has no such parameter; did you mean network.bandwidth_GBps?"},
           {predict + "--set xyzzy=25",
            "--set: xyzzy: flat has no such parameter; `collcast platforms flat --all` lists them"},
           {"predict allreduce --platform frontier --ranks 16 --size 1MiB --policy nccl-2.18",
            "nccl-2.18 knows no cdna GPU, which MI250X-GCD is"},
           {"explain busbandwidth", "the glossary has no 'busbandwidth'; there are: rank, ranks, "},
           {"explain busb", "the glossary has no 'busb'; did you mean 'busbw'?"},
           {"man predit", "there is no verb 'predit'; did you mean 'predict'?"},
           {"completion tcsh", "there is no completion for 'tcsh'; there are: bash, zsh, fish"}}) {
    const Outcome o = collcast(words);
    EXPECT_EQ(o.code, 2) << words;
    EXPECT_THAT(o.err, StartsWith("collcast: " + said)) << words;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
}

TEST(Names, OfOtherProgramsAreTaken) {
  for (const char* name : {"all_reduce", "MPI_Allreduce", "osu_allreduce"})
    EXPECT_EQ(collcast(std::string("predict ") + name + " --platform flat --ranks 4 --size 1k").code, 0)
        << name;
  const Outcome o = collcast("replay " COLLCAST_SOURCE_DIR
                             "/traces/qe-si-8.cct --platform flat --algorithm bcast=chain --engine path");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("chain"));
}

TEST(Names, ABarrierNeedsNoSize) {
  const Outcome o =
      collcast("predict barrier --platform flat --ranks 8 --algorithm dissemination --format csv");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("barrier,dissemination"));
}

TEST(Width, OfHelpIs80) {
  const std::vector<std::string> all = verbs();
  EXPECT_GE(all.size(), 17u);
  EXPECT_LE(widest(collcast("--help").out), 80u);
  for (const std::string& verb : all) EXPECT_LE(widest(collcast(verb + " --help").out), 80u) << verb;
}

/// script(1) gives the program a terminal of 80 columns.
TEST(Width, OfTablesIsTheTerminals) {
  if (shell("command -v script").code != 0) GTEST_SKIP() << "script(1) is not installed";
  for (const std::string words : {"algorithms", "platforms", "platforms summit",
                                  "predict allreduce --platform summit --ranks 12 --size "
                                  "1KiB --algorithm all"}) {
    const std::string run =
        "script -qec 'stty cols 80; unset COLUMNS; " COLLCAST_BINARY_DIR "/collcast " + words;
    const std::string narrow = shell(run + " 2>/dev/null' /dev/null").out,
                      wide = shell(run + " --wide 2>/dev/null' /dev/null").out;
    EXPECT_LE(widest(narrow), 80u) << narrow;
    EXPECT_THAT(narrow, HasSubstr("--wide shows all"));
    EXPECT_GT(widest(wide), 80u);
    EXPECT_THAT(collcast(words).out, ::testing::Not(HasSubstr("--wide shows all"))) << "in a pipe";
  }
}

TEST(Platform, BeginsWithTwentyLines) {
  const std::string all = collcast("platforms summit").out;
  const std::string summary = all.substr(0, all.find("\n\n", all.find("\n\n") + 2));
  EXPECT_LE(std::count(summary.begin(), summary.end(), '\n'), 26);
  for (const char* words : {"up to 4,608, of 6 ranks each", "6 x V100-SXM2-16GB (volta, 16 GiB",
                            "x nvlink2: 25 GB/s", "fat-tree", "--set takes"})
    EXPECT_THAT(summary, HasSubstr(words));
  EXPECT_THAT(all, HasSubstr("software.between_nodes.host.pieces "));
  EXPECT_THAT(all, ::testing::Not(HasSubstr("pieces.0")));
  EXPECT_THAT(collcast("platforms summit --all").out, HasSubstr("pieces.0.overhead_us"));
}

TEST(Platform, UnitsThatSlipAreNoted) {
  const Outcome o = collcast(
      "predict allreduce --platform edr-cluster --ranks 4 --size 1KiB --set network.bandwidth_GBps=200");
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.err,
              HasSubstr("network.bandwidth_GBps = 200 is more than a port or cable of a network has ever had "
                        "(120); GB are bytes: 200 Gb/s are 25 GB/s"));
}

TEST(Pages, ManualsAndCompletions) {
  const std::string page = collcast("man predict").out;
  EXPECT_THAT(page, StartsWith(".TH COLLCAST-PREDICT 1"));
  EXPECT_THAT(page, HasSubstr("\\-\\-platform"));
  for (const std::string& verb : verbs()) {
    EXPECT_THAT(collcast("man").out, HasSubstr("collcast\\-" + verb)) << verb;
    for (const char* shell : {"bash", "zsh", "fish"})
      EXPECT_THAT(collcast(std::string("completion ") + shell).out, HasSubstr(verb));
  }
  const std::string complete =
      "bash -c 'source <(collcast completion bash); COMP_WORDS=(collcast predict --platform sum); "
      "COMP_CWORD=3; "
      "_collcast; echo ${COMPREPLY[*]}; COMP_WORDS=(collcast pre); COMP_CWORD=1; _collcast; echo "
      "${COMPREPLY[*]}'";
  EXPECT_EQ(shell("export PATH=" COLLCAST_BINARY_DIR ":$PATH; " + complete).out, "summit\npredict\n");
}

TEST(Words, AreExplained) {
  EXPECT_EQ(collcast("explain exposed communication").code, 2);
  EXPECT_THAT(collcast("explain busbw").out, HasSubstr("algbw times the collective's factor"));
  EXPECT_THAT(collcast("explain 'exposed communication'").out, HasSubstr("does not compute"));
  EXPECT_GT(::collcast::parse_json(collcast("explain --format json").out).size(), 15u);
}

TEST(Replay, ExposedCommunicationIsCommunication) {
  for (const char* trace : {"qe-si-8", "lammps-melt-8"}) {
    const Outcome o = collcast("replay " COLLCAST_SOURCE_DIR "/traces/" + std::string(trace) +
                               ".cct --platform flat --engine path --format json");
    const auto answer = ::collcast::parse_json(o.out);
    EXPECT_LE(answer["exposed_communication_s"].get<double>(), answer["communication_s"].get<double>());
  }
}

}  // namespace
