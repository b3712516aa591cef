// SPDX-License-Identifier: Apache-2.0
// What `validate --script` writes runs for real, and is read where there is no MPI.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/cli/collcast.hpp"
#include "tests/folder.hpp"

namespace {

using collcast::Folder;
using collcast::testing::Outcome, collcast::testing::shell, collcast::testing::build_folder,
    collcast::testing::has_recorder;
const auto run = [](const std::string& words) { return collcast::testing::collcast(words); };

/// Two ranks: more of them than processors wait for each other ten times as long.
const std::string spelled = " --collective allreduce --algorithm ring,library --ranks 2 --size 1KiB,4KiB";

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void program(const std::string& path, const std::string& script) {
  std::ofstream(path) << "#!/bin/sh\n" << script;
  ASSERT_EQ(chmod(path.c_str(), 0755), 0);
}

TEST(Script, MeasuresWhatWasForecastAndIsReportedElsewhere) {
  if (!has_recorder) GTEST_SKIP() << "built without MPI";
  const Folder folder;
  const std::string in = folder / "it's", quoted = "\"" + in + "\"";  // folders have such names
  ASSERT_EQ(run("validate --platform flat --script " + quoted + spelled + " -- mpirun --oversubscribe").code,
            0);
  const std::string forecast = text_of(in + "/prediction.jsonl");
  EXPECT_NE(forecast.find("\"message_bytes\":1024"), std::string::npos) << forecast;
  program(folder / "osu_allreduce",
          "[ $OMPI_COMM_WORLD_RANK = 0 ] || exit 0\necho '# OSU MPI Allreduce Latency Test v5.8'\n"
          "echo '# Size       Avg Latency(us)'\necho '1024   12.5'\necho '4096   21.0'\necho $* > \"" +
              in + "/asked\"\n");
  program(folder / "lstopo", "echo '<topology/>'\n");
  program(folder / "ibnetdiscover", "echo no right >&2; exit 1\n");
  const Outcome o =
      shell("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COLLCAST=" + build_folder +
            "/collcast; "
            "export ASAN_OPTIONS=detect_leaks=0 PATH=" +
            folder.path() + ":$PATH; bash " + quoted + "/run.sh");
  EXPECT_LE(o.code, 1) << o.err;  // 1: two ranks here are no forecast of the platform's processors
  EXPECT_EQ(text_of(in + "/prediction.jsonl"), forecast);
  const std::string measured = text_of(in + "/measured.jsonl");
  EXPECT_EQ(std::count(measured.begin(), measured.end(), '\n'), 4) << o.err;
  EXPECT_EQ(text_of(in + "/topology/lstopo.xml"), "<topology/>\n");
  EXPECT_EQ(text_of(in + "/asked"), "-m 1024:4096\n");
  const std::string skipped = text_of(in + "/skipped.txt");
  EXPECT_NE(skipped.find("all_reduce_perf is not installed\n"), std::string::npos) << skipped;
  EXPECT_NE(skipped.find("ibnetdiscover failed: topology/ibnetdiscover.txt.errors"), std::string::npos)
      << skipped;
  EXPECT_FALSE(std::filesystem::exists(in + "/topology/ibnetdiscover.txt.part"));

  std::filesystem::rename(in, folder / "laptop");
  const Outcome told = run("validate --format csv --report " + (folder / "laptop"));
  EXPECT_NE(told.out.find("\nallreduce,ring,"), std::string::npos) << told.out << told.err;
  const Outcome osu = run("validate --format csv --platform " + (folder / "laptop/platform.json") +
                          " --measurements " + (folder / "laptop/benchmarks/osu_allreduce-2.txt:ranks=2"));
  EXPECT_EQ(osu.code, 0) << osu.err;
  EXPECT_NE(osu.out.find("2.1e-05"), std::string::npos) << osu.out;
}

TEST(Script, TakesRanges) {
  const Folder folder;
  const std::string in = folder / "v";
  ASSERT_EQ(
      run("validate --platform flat --script " + in +
          " --collective allreduce --algorithm ring --ranks 2:4:+2 --size 1KiB:64KiB:x8 -- srun -n {ranks}")
          .code,
      0);
  const std::string forecast = text_of(in + "/prediction.jsonl");
  EXPECT_EQ(std::ranges::count(forecast, '\n'), 2 * 3) << forecast;
  EXPECT_NE(forecast.find("\"message_bytes\":65536"), std::string::npos) << forecast;
  const std::string words = text_of(in + "/README.md");
  EXPECT_NE(words.find("`srun` (LAUNCH="), std::string::npos) << words;
  const Outcome empty = run("validate --report " + in);
  EXPECT_NE(empty.err.find("nothing is measured yet"), std::string::npos) << empty.err;
}

TEST(Script, IsSubmittedFromItsFolder) {
  const Folder folder;
  program(folder / "sbatch", "echo \"$*\" > " + (folder / "asked") + "; echo 17\n");
  const std::string in = folder / "v";
  const Outcome o =
      shell("PATH=" + folder.path() + ":$PATH; collcast validate --platform flat --script " + in + spelled +
            " --slurm --sbatch=--partition=short --sbatch=--nodes=2 -- srun -n {ranks}");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err.rfind("note: job 17 was submitted; ", 0), 0u) << o.err;
  EXPECT_EQ(text_of(folder / "asked"), "--parsable --chdir=" + in + " " + in + "/run.sh\n");
  const std::string script = text_of(in + "/run.sh");
  for (const char* words : {"\n#SBATCH --ntasks=2\n", "\n#SBATCH --partition=short\n#SBATCH --nodes=2\n",
                            "\nlaunch=('srun' '-n' '{ranks}')\n"})
    EXPECT_NE(script.find(words), std::string::npos) << script;
}

TEST(Script, BadInputIsOneLine) {
  const Folder folder;
  const std::string in = " --script " + (folder / "v");
  for (const std::string& words :
       {"--platform flat" + in, in + spelled, "--platform flat --run --slurm" + spelled,
        "--platform flat --run" + in + spelled, "--platform flat" + in + spelled + " --sbatch=short",
        "--platform flat --script /proc/none" + spelled}) {
    const Outcome o = run("validate " + words);
    EXPECT_EQ(o.code, 2) << words;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "v"));
}

}  // namespace
