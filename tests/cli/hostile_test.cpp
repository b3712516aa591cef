// SPDX-License-Identifier: Apache-2.0
// What a file, a name or a full disk may do to the command line: one line and an exit code, nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/cli/collcast.hpp"
#include "tests/folder.hpp"
#include "tests/sanitized.hpp"
#include "tests/shared_data.hpp"

namespace {

namespace fs = std::filesystem;
using collcast::Folder;
using collcast::testing::collcast, collcast::testing::Outcome, collcast::testing::shell,
    collcast::testing::trace, collcast::testing::has_simgrid;
using testing::HasSubstr;

bool one_line(const std::string& text) {
  return text.starts_with("collcast: ") && std::ranges::count(text, '\n') == 1 && text.back() == '\n';
}

/// Each verb that answers on standard output.
const std::string every_verb[] = {"algorithms",
                                  "platforms",
                                  "platforms summit",
                                  "prove allreduce --algorithm ring --ranks 8",
                                  "predict allreduce --platform flat --ranks 8 --size 1MiB --algorithm ring",
                                  "export allreduce --algorithm ring --ranks 8 --format goal",
                                  "compare " + trace + " --on summit --engine path",
                                  "replay " + trace + " --platform summit --engine path",
                                  "--help",
                                  "--version"};

TEST(StandardOutput, ThatIsFullIsAnErrorOfOneLine) {
  for (const std::string& verb : every_verb) {
    const Outcome o = collcast(verb + " >/dev/full");
    EXPECT_EQ(o.code, 3) << verb;
    EXPECT_THAT(o.err, HasSubstr("collcast: standard output: cannot be written")) << verb;
  }
}

/// Without MPI there are no such programs.
TEST(StandardOutput, OfThePlayersThatIsFullIsAnErrorOfOneLine) {
  const std::string player = collcast::testing::build_folder + "/collcast-mpi";
  if (!fs::exists(player)) GTEST_SKIP() << "there is no collcast-mpi";
  for (const std::string words : {" allreduce --algorithm ring --size 8", " --help"}) {
    const Outcome o = shell(player + words + " >/dev/full");
    EXPECT_EQ(o.code, 3) << words;
    EXPECT_EQ(o.err, "collcast-mpi: standard output: cannot be written: No space left on device\n");
  }
}

TEST(StandardOutput, ThatIsClosedIsAnErrorOfOneLine) {
  for (const std::string& verb : every_verb) {
    const Outcome o = collcast(verb + " >&-");
    EXPECT_EQ(o.code, 3) << verb;
    EXPECT_THAT(o.err, HasSubstr("collcast: standard output: cannot be written")) << verb;
  }
}

TEST(StandardOutput, ThatNobodyReadsEndsTheProgramWithoutAWord) {
  for (const std::string verb : {"algorithms", "platforms summit"}) {
    const Outcome o = shell("{ sleep 0.3; collcast " + verb + "; echo code $? >&2; } | true");
    EXPECT_EQ(o.err, "code 141\n") << verb;  // 128 + SIGPIPE, as of any filter
  }
}

TEST(StandardOutput, IsNotMixedUpWithAFileThatIsOpenedInItsPlace) {
  const Folder folder;
  const Outcome o = collcast("export allreduce --algorithm ring --ranks 4 --format goal -o " +
                             (folder / "ring.goal") + " >&-");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_GT(fs::file_size(folder / "ring.goal"), 100u);
}

TEST(OutputFiles, ThatMayNotGrowAreAnErrorOfOneLine) {
  const Folder folder;
  const std::string command =
      "export alltoall --algorithm pairwise --ranks 64 --format goal -o " + (folder / "f");
  const Outcome o = shell("ulimit -f 8; collcast " + command);
  EXPECT_EQ(o.code, 3);
  EXPECT_EQ(o.err, "collcast: " + (folder / "f") + ": cannot be written: File too large\n");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

/// A campaign's folder, under any name.
void write_campaign(const fs::path& folder, const std::string& predictors) {
  fs::create_directories(folder);
  std::ofstream(folder / "campaign.json") << R"({"description": "d", "predictors": )" << predictors << "}";
  const std::string point = R"({"collective":"allreduce","algorithm":"ring","ranks":4,"message_bytes":64,)";
  std::ofstream(folder / "prediction.jsonl") << point << R"("predicted_s":{"path":1}})" << '\n';
  std::ofstream(folder / "measured.jsonl") << point << R"("time_s":1})" << '\n';
}

const std::string path_engine = R"([{"name": "path", "role": "engine", "what": "critical path"}])";

TEST(Names, ReachNeitherAShellNorAnInterpreter) {
  const Folder folder;
  const std::string marker = folder / "run";
  // touch(1) by a shell's or gnuplot's backticks, by gnuplot's commands, and across each sort of quotes.
  for (const std::string name :
       {"a`touch RUN`", "b$(touch RUN)", "c\"; system(\"touch RUN\"); \"", "d'; system('touch RUN'); '",
        "e\n!touch RUN\n", "f @RUN ; touch RUN", "|touch RUN"}) {
    std::string bad = name;
    for (std::size_t at; (at = bad.find("RUN")) != std::string::npos;) bad.replace(at, 3, "run");
    write_campaign(fs::path(folder.path()) / bad, path_engine);
    write_campaign(fs::path(folder.path()) / "other", path_engine);
    std::string quoted = "'";
    for (const char c : bad) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    const Outcome o = shell("cd " + folder.path() + "; export TMPDIR=$PWD/" + quoted +
                            "'; collcast validate --report ./" + quoted + "' other");
    EXPECT_EQ(o.code, 0) << name << o.err;
    EXPECT_FALSE(fs::exists(marker)) << name;
    EXPECT_TRUE(fs::exists(fs::path(folder.path()) / bad / "report.html")) << name;
  }
}

/// A dot that says what it was called with, and answers with a picture.
TEST(Names, OfPicturesReachNoShell) {
  const Folder folder;
  std::ofstream(folder / "dot") << "#!/bin/sh\n[ $# = 1 ] && cat >/dev/null && echo '<svg/>'\n";
  fs::permissions(folder / "dot", fs::perms::owner_all);
  const Outcome o = shell("cd " + folder.path() +
                          "; export PATH=$PWD:$PATH; collcast platforms summit --graph 'x`touch run`.svg'");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_FALSE(fs::exists(folder / "run"));
  EXPECT_TRUE(fs::exists(folder / "x`touch run`.svg"));
}

TEST(Options, TakeNoEmptyTextAndNoNumberThatIsNone) {
  const std::string replay = "replay " + trace + " --platform summit --engine path --compute-scale ";
  const std::string validate = "validate --platform summit --measurements none --bound ";
  const std::string predict = "predict allreduce --platform flat --ranks 4 --size 1KiB ";
  const std::string exported = "export allreduce --algorithm ring --ranks 4 --format goal --reduction ";
  for (const std::string& arguments :
       {replay + "''", replay + "nan", replay + "inf", replay + "1e999", replay + "0x10", validate + "''",
        validate + "nan", validate + "-inf", validate + "0,5", predict + "--radix ''", predict + "--root ''",
        predict + "--segment ''", predict + "--engine ''", exported + "''", exported + "nan",
        std::string("predict allreduce --platform flat --ranks 4 --size ''"),
        std::string("predict allreduce --platform '' --ranks 4 --size 1KiB"),
        std::string("calibrate --from x --base flat -o y --nodes ''"),
        std::string("calibrate --from x --base flat -o ''")}) {
    const Outcome o = collcast(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_TRUE(one_line(o.err)) << arguments << o.err;
    EXPECT_EQ(o.out, "") << arguments;
  }
  EXPECT_THAT(collcast(validate + "0,5").err, HasSubstr("'0,5' is not a finite number"));
  EXPECT_THAT(collcast(validate + "0,5").err, HasSubstr("; decimals follow a point"));
}

/// Their sums and products would be no numbers: some crashed, some never ended.
TEST(Options, TakeNoNumberBeyondAnyMeasure) {
  const std::string on = " --platform summit --ranks 6", job = "job ",
                    plan = "plan --platform summit --ranks 6 ";
  const std::string train = "train --model resnet50" + on;
  for (const std::string& arguments :
       {job + "kmeans:compute=1e308s" + on, job + "kmeans:points=1e308" + on,
        job + "kmeans:efficiency=1e-320" + on, job + "stencil:compute=1e308s" + on,
        train + " --throughput 1e-320", train + " --throughput 1e308", train + " --slowdown 1e308",
        train + " --noise 1e308", train + " --input packed:shared=1e-320",
        train + " --framework horovod:request=1e308s,cache=0",
        train + " --framework megatron:ep=8,imbalance=1e308", plan + "--model resnet50 --samples 1e308",
        plan + "--model resnet50 --samples 1e6 --time 1e308h",
        plan + "--model resnet50 --samples 1e6 --noise 1e308",
        plan + "--job kmeans:compute=1e300s --runs 1e300"}) {
    const Outcome o = shell("timeout 60 " + collcast::testing::build_folder + "/collcast " + arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_TRUE(one_line(o.err)) << arguments << o.err;
    EXPECT_EQ(o.out, "") << arguments;
  }
}

/// What a measurement takes says nothing of tables.
TEST(Options, OfARunNeedOne) {
  for (const char* option : {"--window 4", "--star 4", "--size 4", "--pairs 4", "-- mpirun"}) {
    const Outcome o = collcast(std::string("calibrate --from x --base flat -o y ") + option);
    EXPECT_EQ(o.code, 2) << option;
    EXPECT_THAT(o.err, HasSubstr("--run")) << option;
  }
}

/// A list ends with its word: what follows is the collective, or the launcher behind --.
TEST(Options, OfListsTakeOneWord) {
  EXPECT_EQ(collcast("predict --platform flat --algorithm ring --ranks 4 --size 1KiB,1MiB allreduce").code,
            0);
  EXPECT_EQ(collcast("predict --platform flat --size 1KiB --ranks 4,8 allreduce").code, 0);
  for (const char* option : {"--size 8,1KiB", "--pairs 1,2", "--from a b"}) {
    const Outcome o = collcast(std::string("calibrate --run --base localhost -o /dev/null/x ") + option +
                               " -- mpirun --oversubscribe");
    EXPECT_EQ(o.code, 2) << option;
    EXPECT_THAT(o.err, HasSubstr("/dev/null/x")) << option;
  }
}

TEST(Options, SizesReachTerabytes) {
  EXPECT_EQ(
      collcast("predict allreduce --algorithm ring --platform flat --ranks 4 --size 1TiB,2TB --format csv")
          .code,
      0);
}

/// Campaign folders as an interrupted or careless hand leaves them.
TEST(Reports, OfDamagedFoldersAreOneLine) {
  const Folder folder;
  const fs::path campaign = fs::path(folder.path()) / "c";
  const auto refused = [&] {
    const Outcome o = collcast("validate --report " + campaign.string());
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_TRUE(one_line(o.err)) << o.err;
    EXPECT_EQ(o.err.find("json.exception"), std::string::npos) << o.err;
  };
  for (const char* predictors :
       {"[{}]", "{}", "[]", "[1]", "null", R"([{"name": 1, "role": "engine", "what": ""}])",
        R"([{"name": "path", "role": "engine", "what": "", "bounds": {}}])",
        R"([{"name": "path", "role": "engine", "what": "", "bounds": []}])",
        R"([{"name": "path", "role": "engine", "what": "", "bounds": {"mean": "x", "worst": 1}}])"}) {
    write_campaign(campaign, predictors);
    refused();
  }
  const std::string point = R"({"collective":"allreduce","algorithm":"ring","ranks":4,"message_bytes":64,)";
  for (const char* rest : {R"("time_s":"1"})", R"("time_s":-1})", R"("x":1})", R"("time_s":1,"low_s":null})",
                           R"("time_s":1,"checked":3})", R"("time_s":1,"repetitions":2.5})",
                           R"("time_s":1,"repetitions":4294967298})", R"("time_s":1,"provenance":3})",
                           R"("time_s":1,"library":[]})"}) {
    write_campaign(campaign, path_engine);
    std::ofstream(campaign / "measured.jsonl") << point << rest << '\n';
    refused();
  }
  for (const char* rest :
       {R"("predicted_s":3})", R"("predicted_s":{"path":"1"}})", R"("predicted_s":[1]})"}) {
    write_campaign(campaign, path_engine);
    std::ofstream(campaign / "prediction.jsonl") << point << rest << '\n';
    refused();
  }
  for (const char* whole : {"", "[", "3", "\xff"}) {
    write_campaign(campaign, path_engine);
    std::ofstream(campaign / "campaign.json") << whole;
    refused();
  }
}

TEST(Reports, OnOneFolderAtOnceAreBothWhole) {
  const Folder folder;
  write_campaign(folder / "c", path_engine);
  const Outcome o =
      shell("cd " + folder.path() +
            "; for i in 1 2 3; do collcast validate --report c >/dev/null 2>e$i || echo failed & done; wait");
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(std::count_if(fs::directory_iterator(folder / "c"), fs::directory_iterator(),
                          [](const auto& f) { return f.path().filename().string().starts_with("."); }),
            0);
}

TEST(Inputs, ThatNeverEndOrNeverComeAreRefused) {
  const Folder folder;
  const std::string fifo = folder / "pipe.json";
  for (const std::string& arguments :
       {std::string("validate --platform flat --run --campaign /dev/zero"),
        std::string("validate --platform flat --measurements /dev/zero"),
        std::string("predict allreduce --ranks 4 --size 1KiB --platform /dev/zero"),
        "predict allreduce --ranks 4 --size 1KiB --platform " + fifo, "replay " + fifo + " --platform summit",
        "inspect " + fifo, std::string("inspect /dev/zero"),
        "validate --platform flat --run --campaign " + fifo, "prove --import " + fifo}) {
    const Outcome o = shell("test -p " + fifo + " || mkfifo " + fifo + "; collcast " + arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_TRUE(one_line(o.err)) << arguments << o.err;
  }
}

/// Editors put a byte order mark before text, and some end lines with CR LF.
TEST(Inputs, OfOtherEditorsAreRead) {
  const Folder folder;
  const std::string file = folder / "mine.json",
                    data = COLLCAST_SOURCE_DIR "/platforms/data/edr-cluster.json";
  const Outcome made = shell("{ printf '\\357\\273\\277'; sed 's/$/\\r/' " + data + "; } > " + file);
  ASSERT_EQ(made.code, 0) << made.err;
  const Outcome o = collcast("predict allreduce --ranks 4 --size 1KiB --platform " + file);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("`collcast platforms " + file + "` lists them"));
}

TEST(Inputs, ThatAreMissingAmongSeveralAreMissed) {
  for (const std::string& arguments : {"replay " + trace + " nosuch --platform edr-cluster,summit",
                                       "compare " + trace + " nosuch --on edr-cluster",
                                       "compare nosuch.cct " + trace + " --on edr-cluster"}) {
    const Outcome o = collcast(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_TRUE(o.err.starts_with("collcast: there is no trace 'nosuch")) << arguments << o.err;
    EXPECT_TRUE(one_line(o.err)) << arguments << o.err;
  }
}

TEST(HostileTraces, AreRefusedInOneLine) {
  const fs::path all = collcast::shared_data("hostile");
  if (!fs::exists(all)) GTEST_SKIP() << all << " is absent";
  collcast::testing::EachOrOneIn tried(3);
  for (const fs::directory_entry& file : fs::directory_iterator(all))
    for (const char* engine : {"path", "simgrid"}) {
      if ((!has_simgrid && std::string(engine) == "simgrid") || !tried()) continue;
      const Outcome o =
          collcast("replay " + file.path().string() + " --platform summit --format json --engine " + engine);
      EXPECT_EQ(o.code, 2) << file;
      EXPECT_TRUE(one_line(o.err)) << file << o.err;
    }
}

}  // namespace
