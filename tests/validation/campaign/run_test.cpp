// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/run.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "tests/folder.hpp"
#include "validation/campaign/ping_pong.hpp"

namespace collcast::campaign {
namespace {

namespace fs = std::filesystem;

const auto silent = [](const std::string&) {};

/// A folder of its own, and a shell script in the place of collcast-measure; "launched" by env.
class Run : public ::testing::Test {
 protected:
  ~Run() override { unsetenv("COLLCAST_MEASURE"); }

  /// The script's $1 is the file of requests.
  Launcher measuring_by(const std::string& script) {
    const fs::path program = folder_ / "program";
    std::ofstream(program) << "#!/bin/sh\n" << script;
    fs::permissions(program, fs::perms::owner_all);
    setenv("COLLCAST_MEASURE", program.c_str(), 1);
    return Launcher({"env", "RANKS={ranks}"});
  }
  fs::path results() const { return folder_ / "results"; }
  std::size_t lines(const char* file) const { return read_journal(results() / file).size(); }

  const Campaign campaign_ = parse_campaign(
      R"({"ranks": 4, "sizes": [8, 16, 24], "points": {"collective": "allreduce", "algorithm": "ring"}})",
      "c.json");
  const Description platform_ = load_platform("flat");
  const Folder own_;
  const fs::path folder_ = own_.path();
};

constexpr const char* all_well =
    "n=0; while read line; do echo \"{\\\"id\\\":$n,\\\"time_s\\\":1e-3}\"; n=$((n+1)); done <$1\n";

TEST_F(Run, PredictionIsOnTheDiskBeforeAnythingIsMeasured) {
  const Launcher launcher = measuring_by("test -s " + (results() / "prediction.jsonl").string() +
                                         " || exit 9\ntest $RANKS = 4 || exit 8\n" + all_well);
  predict_campaign(campaign_, platform_, results(), silent);
  EXPECT_FALSE(fs::exists(results() / "measured.jsonl"));
  EXPECT_TRUE(measure_campaign(campaign_.settings, launcher, results(), silent));
  EXPECT_EQ(lines("measured.jsonl"), 3u);
  for (const char* key : {"collective", "time_s", "provenance", "launcher", "parameters", "buffers"})
    EXPECT_TRUE(read_journal(results() / "measured.jsonl")[0].contains(key)) << key;
}

TEST_F(Run, WhatWasMeasuredIsKeptAndNotMeasuredAgain) {
  predict_campaign(campaign_, platform_, results(), silent);
  const Launcher dies =
      measuring_by("echo '{\"id\":0,\"time_s\":1e-3}'; echo 'collcast-measure: rank 2: gone' >&2; exit 3\n");
  try {
    measure_campaign(campaign_.settings, dies, results(), silent);
    FAIL();
  } catch (const SubstrateError& e) {
    const std::string words = e.what();
    EXPECT_TRUE(words.starts_with(
        "measuring stopped at allreduce ring, 4 ranks, 16 B: collcast-measure: rank 2: gone"))
        << words;
    EXPECT_EQ(words.find('\n'), std::string::npos);
  }
  EXPECT_EQ(lines("measured.jsonl"), 1u);
  const Launcher goes_on =
      measuring_by("grep -q '\"message_bytes\":8,' $1 && exit 9\n" + std::string(all_well));
  EXPECT_TRUE(measure_campaign(campaign_.settings, goes_on, results(), silent));
  EXPECT_EQ(lines("measured.jsonl"), 3u);
  EXPECT_TRUE(
      measure_campaign(campaign_.settings, measuring_by("exit 9\n"), results(), silent));  // nothing is left
}

TEST_F(Run, AWrongResultStopsIt) {
  predict_campaign(campaign_, platform_, results(), silent);
  const Launcher wrong =
      measuring_by("echo 'collcast-measure: allreduce ring is wrong: rank 1, element 5' >&2; exit 1\n");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(measure_campaign(campaign_.settings, wrong, results(), silent));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("rank 1, element 5"), std::string::npos);
}

TEST_F(Run, AnotherCampaignOrPlatformIsRefused) {
  predict_campaign(campaign_, platform_, results(), silent);
  predict_campaign(campaign_, platform_, results(), silent);
  EXPECT_THROW(predict_campaign(campaign_, load_platform("testbed"), results(), silent), InputError);
  Campaign other = campaign_;
  other.points.pop_back();
  EXPECT_THROW(predict_campaign(other, platform_, results(), silent), InputError);
}

TEST_F(Run, ACampaignThatAsksOtherwiseIsRefused) {
  predict_campaign(campaign_, platform_, results(), silent);
  const auto refusal = [&](const auto& change) -> std::string {
    Campaign other = campaign_;
    change(other);
    try {
      predict_campaign(other, platform_, results(), silent);
      return "";
    } catch (const InputError& e) {
      return std::string(e.what()).substr(results().string().size());
    }
  };
  const std::string begin = ": holds predictions of a campaign whose ",
                    end = "; choose another folder with -o or --script";
  EXPECT_EQ(refusal([](Campaign&) {}), "");
  EXPECT_EQ(refusal([](Campaign& c) { c.settings.most = 99; }), "");
  EXPECT_EQ(refusal([](Campaign& c) { c.description = "b"; }), begin + R"(description is "", not "b")" + end);
  EXPECT_EQ(refusal([](Campaign& c) { c.settings.overlap_workers = 1; }),
            begin + "overlap_workers is null, not 1" + end);
  for (const auto& [key, change] : std::map<std::string, void (*)(Campaign&)>{
           {"bounds", [](Campaign& c) { c.bounds["path"].mean = 0.3; }},
           {"nominal", [](Campaign& c) { c.nominal_platform = "testbed"; }},
           {"multicast", [](Campaign& c) { c.settings.multicast = "239.192.7.1:47001"; }}})
    EXPECT_TRUE(refusal(change).starts_with(begin + key)) << key;
}

TEST_F(Run, LauncherKnowsTheNumberOfRanks) {
  setenv("COLLCAST_MEASURE", "/bin/true", 1);
  using Words = std::vector<std::string>;
  EXPECT_EQ(Launcher({}).command(4, {"f"}), (Words{"mpirun", "-np", "4", "/bin/true", "f"}));
  EXPECT_EQ(Launcher({"srun", "-n", "{ranks}"}).command(4, {}), (Words{"srun", "-n", "4", "/bin/true"}));
  EXPECT_EQ(Launcher({"mpirun", "-np", "2"}).command(4, {}), (Words{"mpirun", "-np", "2", "/bin/true"}));
  EXPECT_THROW(Launcher({"/nowhere/mpirun"}).run(1, {}, folder_ / "log", 1, silent), InputError);
}

TEST_F(Run, ALauncherThatFallsSilentIsEnded) {
  const Launcher hangs = measuring_by("exec sleep 60\n");
  EXPECT_THROW(hangs.run(1, {}, folder_ / "log", 0.2, silent), SubstrateError);
}

TEST_F(Run, PingPongsOfAnotherCommandAreRefused) {
  const Launcher launcher = measuring_by(all_well);
  PingPongs two = standard_ping_pongs();
  two.sizes = {Bytes(8), Bytes(16)}, two.star = 0;
  const fs::path file = folder_ / "p.jsonl";
  measure_ping_pongs(two, launcher, file, silent);
  EXPECT_EQ(read_journal(file).size(), 2u);
  two.sizes.emplace_back(24);
  EXPECT_EQ(coverage(two, launcher, file).already, 2u);
  EXPECT_EQ(coverage(two, launcher, file).wanted, 3u);
  try {
    measure_ping_pongs(two, Launcher({"env", "RANKS=2"}), file, silent);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.what(), file.string() +
                            ": holds measurements by another command (env RANKS={ranks}, not env RANKS=2); "
                            "delete it, or choose another output with -o");
  }
}

/// As they were written before, with the program's name alone.
TEST_F(Run, PingPongsOfTheSameProgramAreTaken) {
  const Launcher launcher = measuring_by(all_well);
  const fs::path file = folder_ / "p.jsonl";
  std::ofstream(file) << R"({"collective":"latency","launcher":"env"})" << '\n';
  EXPECT_NO_THROW(coverage(standard_ping_pongs(), launcher, file));
  EXPECT_THROW(coverage(standard_ping_pongs(), Launcher({"mpirun"}), file), InputError);
}

#if HAS_MPI
TEST_F(Run, MeasuresWithRealMpi) {
  setenv("COLLCAST_MEASURE", COLLCAST_BINARY_DIR "/collcast-measure", 1);
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // Open MPI leaves memory behind
  const Campaign two = parse_campaign(R"({"ranks": 2, "sizes": 4096, "measure": {"most": 10},
      "points": [{"collective": "allreduce", "algorithm": "ring"},
                 {"collective": "allreduce", "algorithm": "library"}]})",
                                      "c.json");
  predict_campaign(two, platform_, results(), silent);
  EXPECT_TRUE(measure_campaign(two.settings, Launcher({"mpirun", "--oversubscribe", "--allow-run-as-root"}),
                               results(), silent));
  const auto measured = read_journal(results() / "measured.jsonl");
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_TRUE(measured[0]["checked"].get<bool>());
  EXPECT_GT(measured[1]["time_s"].get<double>(), 0);
}
#endif

}  // namespace
}  // namespace collcast::campaign
