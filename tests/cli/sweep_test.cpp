// SPDX-License-Identifier: Apache-2.0
// `collcast sweep` as its users meet it: killed, interrupted, resumed, in parts, on a full disk.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tests/cli/collcast.hpp"
#include "tests/folder.hpp"
#include "tests/sanitized.hpp"

namespace {

using collcast::Folder;
using collcast::testing::collcast, collcast::testing::Outcome, collcast::testing::shell,
    collcast::testing::build_folder, collcast::testing::has_recorder, collcast::testing::has_simgrid;

std::string file(const Folder& folder, const std::string& text) {
  const std::string name = folder / "s.json";
  std::ofstream(name) << text;
  return name;
}

/// 160 points of 5 ms, or 40 of 25.
const std::string long_one =
    R"({"platform": "summit", "ranks": "60:96:+12", "collective": "allreduce", "algorithm": "ring", "size": "1KiB:)" +
    std::to_string(collcast::testing::all_or_one_in(4, 40)) + R"(KiB:+1KiB"})";

TEST(SweepCli, GoesOnAfterAKill) {
  const Folder folder;
  const std::string s = file(folder, long_one), in = folder / "j";
  const Outcome whole = collcast("sweep " + s + " -j 1 --format csv -o " + folder / "whole");
  ASSERT_EQ(whole.code, 0) << whole.err;
  // Bit 14 of the signals that a process catches is TERM: a slow build may take long to get there.
  const std::string ready =
      "for i in $(seq 300); do m=$(sed -n 's/^SigCgt:[^0-9a-f]*//p' /proc/$p/status); "
      "[ $((0x${m:-4000} & 0x4000)) -ne 0 ] && break; sleep 0.02; done; sleep 0.1; ";
  for (const std::string signal : {"KILL", "KILL", "TERM", "INT"}) {
    const Outcome o = shell(build_folder + "/collcast sweep " + s + " --format csv -o " + in + " & p=$!; " +
                            ready + "kill -" + signal + " $p; wait $p");
    if (o.code == 0) continue;  // done by then
    EXPECT_EQ(o.code, signal == "KILL" ? 137 : 130) << signal;
    EXPECT_TRUE(whole.out.starts_with(o.out)) << o.out;  // not empty where the signal came as it printed
    if (signal != "KILL") {
      EXPECT_EQ(o.err, "\ncollcast: interrupted; finished points are kept, `collcast sweep --resume " + in +
                           "` continues\n");
    }
  }
  const Outcome resumed = collcast("sweep --resume " + in + " --format csv -j 2");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, whole.out);
}

TEST(SweepCli, PartsMerge) {
  const Folder folder;
  const std::string s =
      file(folder, R"({"platform": "flat", "ranks": "2:9:+1", "collective": "barrier", "size": 0})");
  const Outcome whole = collcast("sweep " + s + " -o " + folder / "whole");
  const Outcome part = collcast("sweep " + s + " --part 0/2 -o " + folder / "a");
  EXPECT_NE(part.err.find("note: 4 points belong to other parts; "), std::string::npos) << part.err;
  const Outcome again = collcast("sweep --resume " + folder / "a");
  EXPECT_EQ(again.out, part.out);  // no more than the part
  EXPECT_EQ(again.err, part.err);
  const Outcome half = collcast("sweep --merge " + folder / "a" + " -o " + folder / "half");
  EXPECT_EQ(half.code, 1);
  EXPECT_NE(half.err.find("note: 4 points are missing; "), std::string::npos) << half.err;
  collcast("sweep " + s + " --part 1/2 -o " + folder / "b");
  EXPECT_EQ(collcast("sweep --merge " + folder / "a" + " " + folder / "b" + " -o " + folder / "a").err,
            "collcast: -o " + folder / "a" + " is one of the folders to merge; choose another\n");
  const Outcome merged =
      collcast("sweep --merge " + folder / "a" + " " + folder / "b" + " -o " + folder / "all");
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(merged.out, whole.out);
}

/// Runs the tasks of a job array one after the other, as sbatch would side by side.
const std::string fake_sbatch = R"(#!/bin/sh
for last; do :; done
for i in $(seq 0 $(sed -n 's/^#SBATCH --array=0-//p' "$last")); do SLURM_ARRAY_TASK_ID=$i sh "$last" > /dev/null 2>&1 || exit 1; done
echo 17
)";

TEST(SweepCli, AJobArrayDoesItsParts) {
  const Folder folder;
  const std::string s =
      file(folder, R"({"platform": "flat", "ranks": "2:9:+1", "collective": "barrier", "size": 0})");
  std::ofstream(folder / "sbatch") << fake_sbatch;
  ASSERT_EQ(chmod((folder / "sbatch").c_str(), 0755), 0);
  const std::string in = folder / "it's";  // folders have such names
  const Outcome o = shell("PATH=" + folder.path() + ":$PATH; collcast sweep " + s +
                          " --slurm --tasks 3 --sbatch=--partition=short -o \"" + in + "\"");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err.rfind("note: job 17 was submitted; ", 0), 0u) << o.err;
  std::ifstream script(in + "/sweep.sbatch");
  const std::string text((std::istreambuf_iterator<char>(script)), {});
  EXPECT_NE(text.find("\n#SBATCH --partition=short\n"), std::string::npos) << text;
  const Outcome merged = shell("collcast sweep --merge \"" + in + "\"/part-* -o " + folder / "all");
  EXPECT_EQ(merged.out, collcast("sweep " + s + " -o " + folder / "whole").out);
  EXPECT_EQ(collcast("sweep " + s + " --slurm --sbatch=partition -o " + folder / "x").code, 2);
  EXPECT_EQ(collcast("sweep " + s + " --slurm --mpi").code, 2);
}

Outcome sweep_on_ranks(const Folder& folder, const std::string& ranks, const std::string& words) {
  return shell("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_orte_tmpdir_base=" +
               folder / "sessions" + "; mpirun --oversubscribe -np " + ranks + " " + build_folder +
               "/collcast sweep " + words);
}

TEST(SweepCli, RanksOfMpirunTakePointsAsTheyAsk) {
  if (!has_recorder) GTEST_SKIP() << "built without MPI";
  const Folder folder;
  const std::string s = file(folder, long_one);
  const Outcome whole = collcast("sweep " + s + " --format csv -o " + folder / "whole");
  for (const std::string ranks : {"1", "3"}) {
    const Outcome o = sweep_on_ranks(folder, ranks, s + " --mpi --format csv -o " + folder / ("j" + ranks));
    if (o.err.find("address sanitizer") != std::string::npos)
      GTEST_SKIP() << "with the address sanitizer there is no --mpi";
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out, whole.out);
  }
}

/// The first point takes rank 0 long, so that another rank's answer is the first to make no sense.
TEST(SweepCli, AnotherRanksAnswerThatMakesNoSenseEndsTheSweep) {
  if (!has_recorder) GTEST_SKIP() << "built without MPI";
  const Folder folder;
  const std::string s =
      file(folder, R"({"platform": "summit", "ranks": [1536, 6, 12, 24], "collective": "allreduce",
    "size": "1KiB", "algorithm": "all", "engine": "path", "stop": {"along": "ranks", "when": "x", "below": 1}})");
  const Outcome o = sweep_on_ranks(folder, "3", s + " --mpi -o " + folder / "j");
  if (o.err.find("address sanitizer") != std::string::npos)
    GTEST_SKIP() << "with the address sanitizer there is no --mpi";
  EXPECT_EQ(o.code, 2) << o.err;
  EXPECT_NE(o.err.find("collcast: stop: rows have no number \"x\""), std::string::npos) << o.err;
}

/// Replay after replay in one process: SimGrid's clock goes on, and its rounding stalled one after some
/// dozen.
TEST(SweepCli, ReplaysOnSimGridFollowEachOther) {
  if (!has_simgrid) GTEST_SKIP() << "built without SimGrid";
  const Folder folder;
  const int points = collcast::testing::all_or_one_in(3, 60);
  const std::string s = file(folder,
                             R"({"ask": "replay", "trace": ")" + collcast::testing::trace +
                                 R"(", "platform": "edr-cluster", "engine": "simgrid",
    "sample": {"random": )" + std::to_string(points) +
                                 R"(, "seed": 3}, "set": {"network.bandwidth_GBps": {"from": 1, "to": 50},
    "network.latency_us": {"from": 0.5, "to": 5}}})");
  const Outcome o =
      shell("timeout 300 " + build_folder + "/collcast sweep " + s + " -j 1 --format csv -o " + folder / "j");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(std::ranges::count(o.out, '\n'), points + 1);
}

TEST(SweepCli, AFailingPointIsAnAnswer) {
  const Folder folder;
  const std::string s = file(
      folder,
      R"({"platform": "summit", "ranks": [6, 27649], "collective": "allreduce", "size": "1KiB", "transport": "mpi"})");
  const Outcome o = collcast("sweep " + s + " -o " + folder / "j" + " --format csv");
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.err.rfind("note: point 1 (ranks 27649) failed: ", 0), 0u) << o.err;
  EXPECT_NE(o.out.find("\n0,allreduce,"), std::string::npos) << o.out;
}

TEST(SweepCli, BadInputIsOneLine) {
  const Folder folder;
  const std::string good = R"({"platform": "flat", "ranks": 4, "collective": "allreduce", "size": 1})";
  const std::string s = file(folder, good), other = folder / "other.json", j = " -o " + folder / "j";
  ASSERT_EQ(collcast("sweep " + s + j).code, 0);
  const auto expect = [&](const std::string& arguments, const std::string& words) {
    const Outcome o = collcast("sweep " + arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  };
  std::ofstream(other) << R"({"platform": "flat", "ranks": 5, "collective": "allreduce", "size": 1})";
  expect(other + j, "is the journal of another sweep; choose another folder");
  std::ofstream(other) << R"({"platform": "flat", "rnks": 5, "collective": "allreduce", "size": 1})";
  expect(other + j, "\"rnks\" is not a key here");
  std::ofstream(other) << R"({"platform": "flat", "ranks": "5:4", "collective": "allreduce", "size": 1})";
  expect(other + j, "range '5:4' is empty");
  expect(s + " --resume x", "exactly one of");
  expect("", "exactly one of");
  expect("--resume " + folder / "nowhere", "there is no journal of a sweep in");
  expect("--resume " + folder / "j" + j, "does not go with -o");
  expect(folder / "j", "is the folder of a sweep; `collcast sweep --resume ");
  expect("--merge " + folder / "j", "--merge needs -o DIR");
  expect(s + j + " --part 4/4", "part '4' is not a whole number from 0 to 3");
  expect(s + j + " --part 4", "part '4' is not K/N, as in 0/8");
  expect(s + j + " -j 0", "--jobs '0' is not a whole number");
  expect(s + j + " --tasks 3", "--tasks requires --slurm");
  expect(s + j + " --sbatch=--nodes=2", "--sbatch requires --slurm");
  expect(folder / "none.json", "none.json");
}

/// One wrong name of a list that no other setting can make right: nothing is asked.
TEST(SweepCli, WhatIsWrongAtEveryPointIsRefusedAtOnce) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("set": {"network.bandwith_GBps": 5})", "did you mean network.bandwidth_GBps?"},
      {R"("set": {"network.bandwidth_GBps": [5, -10]})", "must be a number above 0, not -10"},
      {R"("set": {"network.bandwidth_GBps": ["5:20:x2", "fast"]})", "'fast' is not a number"},
      {R"("sample": {"random": 3}, "set": {"network.bandwidth_GBps": {"from": -1, "to": 5}})", "not -1"},
      {R"("algorithm": ["ring", "rign"])", "no algorithm 'rign' for allreduce; did you mean 'ring'?"},
      {R"("placement": ["block", "zigzag"])", "must be block, round-robin or by-socket"},
      {R"("policy": ["mpich", "mpihc"])", "unknown policy 'mpihc'"},
      {R"("segment": ["auto", "foo"])", "'foo'"},
      {R"("radix": [2, 1])", "radix '1' is not"},
      {R"("engine": ["path", "magic"])", "not 'magic'"}};
  const Folder folder;
  for (const auto& [setting, words] : cases) {
    const std::string s = file(
        folder, R"({"platform": "flat", "ranks": 4, "collective": ["allreduce", "alltoall"], "size": 1, )" +
                    std::string(setting) + "}");
    const Outcome o = collcast("sweep " + s + " -o " + folder / "j");
    EXPECT_EQ(o.code, 2) << setting;
    EXPECT_EQ(o.out, "");
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
  }
  for (const char* setting :
       {R"("algorithm": "allreduce=foo")", R"("nonblocking": "foo")", R"("offload": ["none", "foo"])"}) {
    const std::string s = file(folder, R"({"ask": "replay", "platform": "bluefield-2-cluster", "trace": ")" +
                                           std::string(collcast::testing::trace) + "\", " + setting + "}");
    const Outcome o = collcast("sweep " + s + " -o " + folder / "j");
    EXPECT_EQ(o.code, 2) << setting;
    EXPECT_NE(o.err.find("'foo'"), std::string::npos) << o.err;
  }
  const std::string trace = file(folder, R"({"ask": "replay", "platform": "flat", "trace": "none.cct"})");
  EXPECT_EQ(collcast("sweep " + trace).err, "collcast: there is no trace 'none.cct'\n");
}

/// As `train` has them: a batch of all replicas, the memory of a rank, one measured rate for all.
TEST(SweepCli, TakesWhatTrainTakes) {
  const Folder folder;
  const std::string step =
      R"({"ask": "train", "platform": "summit", "model": "resnet50", "ranks": [6, 12], )";
  const std::string whole = file(folder, step + R"("global_batch": [96, 100], "throughput": 300})");
  const Outcome o = collcast("sweep " + whole + " -o " + folder / "j");
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("a global batch of 100 does not divide into 6 replicas"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("is taken to be the same for every batch\n"), std::string::npos) << o.err;
  EXPECT_NE(o.out.find("GiB of 16.0 GiB"), std::string::npos) << o.out;
  EXPECT_EQ(collcast("sweep --resume " + folder / "j").out, o.out);
  const std::string both = file(folder, step + R"("global_batch": 96, "batch": 8})");
  EXPECT_EQ(collcast("sweep " + both + " -o " + folder / "k").err,
            "collcast: batch is of a replica, global_batch of all: one of them, not both\n");
}

TEST(SweepCli, HowDpusWorkNeedsWorkForThem) {
  const Folder folder;
  const std::string replay =
      file(folder, R"({"ask": "replay", "platform": "bluefield-2-cluster", "pieces": 4, "trace": ")" +
                       collcast::testing::trace + "\"}");
  const Outcome replayed = collcast("sweep " + replay + " -o " + folder / "j");
  EXPECT_EQ(replayed.code, 2);
  EXPECT_NE(replayed.err.find("pieces needs offload"), std::string::npos) << replayed.err;
  const std::string job = file(
      folder,
      R"({"ask": "job", "platform": "bluefield-2-cluster", "job": "kmeans", "ranks": 4, "delivery": "direct"})");
  const Outcome worked = collcast("sweep " + job + " -o " + folder / "j");
  EXPECT_EQ(worked.code, 1);
  EXPECT_NE(worked.err.find("delivery applies only to offloaded collectives"), std::string::npos)
      << worked.err;
}

TEST(SweepCli, AFullDiskIsAFailureOfTheMachine) {
  const Folder folder;
  const std::string s = file(folder, long_one);
  const Outcome o = shell("trap '' XFSZ; ulimit -f 200; collcast sweep " + s + " -o " + folder / "j");
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_NE(o.err.find("finished points are kept"), std::string::npos) << o.err;
}

TEST(SweepCli, AsksReplaysAndJobs) {
  const Folder folder;
  const std::string s = file(folder, R"({"ask": "replay", "trace": ")" + collcast::testing::trace +
                                         R"(", "platform": ["flat", "summit"], "engine": "path",
                                            "set": {"network.bandwidth_GBps": [5, 10]}})");
  const Outcome swept = collcast("sweep " + s + " -o " + folder / "j" + " --format csv");
  ASSERT_EQ(swept.code, 0) << swept.err;
  EXPECT_EQ(std::count(swept.out.begin(), swept.out.end(), '\n'), 5);
  // The same as one replay after the other, and as lists on the command line.
  const std::string alone = "replay " + collcast::testing::trace + " --engine path --format csv --platform ";
  const Outcome listed = collcast(alone + "flat,summit --set network.bandwidth_GBps=5,10");
  EXPECT_EQ(listed.out, swept.out);
  const Outcome json = collcast("replay " + collcast::testing::trace +
                                " --engine path --format json --platform summit --set "
                                "network.bandwidth_GBps=10 | sed -n 's/^  \"time_s\": //p' | tr -d ,");
  EXPECT_NE(swept.out.find(',' + json.out.substr(0, json.out.size() - 1) + ','), std::string::npos)
      << json.out;
  const std::string jobs =
      file(folder, R"({"ask": "job", "job": "p3dfft:n=64", "platform": "frontera", "ranks": "2:8:x2"})");
  const Outcome job = collcast("sweep " + jobs + " -o " + folder / "jobs" + " --format csv");
  EXPECT_EQ(job.code, 0) << job.err;
  EXPECT_EQ(std::count(job.out.begin(), job.out.end(), '\n'), 4);
}

/// Rows of a CSV answer.
std::int64_t rows(const Outcome& o) {
  EXPECT_EQ(o.code, 0) << o.err;
  return std::count(o.out.begin(), o.out.end(), '\n') - 1;
}

TEST(Lists, AreEveryCombination) {
  const std::string predict = "predict allreduce --platform flat --ranks 8 --size 1KiB --format csv ";
  EXPECT_EQ(rows(collcast(predict + "--set network.bandwidth_GBps=10,20 --algorithm ring,rabenseifner")), 4);
  EXPECT_EQ(rows(collcast(predict + "--algorithm ring --set network.bandwidth_GBps=1:4:x2")), 3);
  EXPECT_EQ(
      rows(collcast("predict allreduce,broadcast --platform summit --ranks 6,12 --size 1KiB --transport "
                    "links,mpi --format csv")),
      8);
  // Lists of their own are one value.
  EXPECT_EQ(
      rows(collcast("predict allreduce --platform edr-cluster --ranks 8 --size 1KiB --algorithm ring --set "
                    "network.kind=torus --set network.dimensions=2,2,2 --set max_nodes=8 --set "
                    "network.bandwidth_GBps=5,10 --format csv")),
      2);
  const Outcome policies = collcast(
      "predict allreduce --platform summit --ranks 12 --size 1MiB --policy "
      "nccl-2.8:algo=Ring,proto=LL,mpich --format csv");
  EXPECT_EQ(rows(policies), 2);
  EXPECT_NE(policies.out.find("\"nccl-2.8:algo=Ring,proto=LL\""), std::string::npos) << policies.out;
  const std::string train = "train --model resnet50 --ranks 6:24:x2 --format csv ";
  EXPECT_EQ(rows(collcast(train + "--platform summit")), 3);
  EXPECT_EQ(
      rows(collcast(train + "--platform summit,dgx-a100 --framework horovod:fusion=64MiB,cycle=5ms,ddp")),
      12);
  EXPECT_EQ(
      rows(collcast("replay " + collcast::testing::trace +
                    " --engine path --platform flat --algorithm allreduce=ring,rabenseifner --format csv")),
      2);
  const std::string changed =
      "replay " + collcast::testing::trace + " --engine path --platform flat --format csv ";
  const Outcome started = collcast(changed + "--nonblocking none,allreduce,allreduce+broadcast,all");
  EXPECT_EQ(rows(started), 4) << started.err;
  EXPECT_NE(started.out.find("allreduce+broadcast"), std::string::npos) << started.out;
  const Outcome idle = collcast(changed + "--nonblocking scan");
  EXPECT_EQ(idle.code, 2);
  EXPECT_NE(idle.err.find("no scan holds up computation, so --nonblocking starts none"), std::string::npos)
      << idle.err;
  const Outcome misspelled = collcast(changed + "--nonblocking allredcue"),
                empty = collcast(changed + "--bucket 0");
  EXPECT_EQ(misspelled.code, 2);
  EXPECT_NE(misspelled.err.find("did you mean 'allreduce'"), std::string::npos) << misspelled.err;
  EXPECT_EQ(empty.code, 2);
  EXPECT_EQ(empty.err, "collcast: --bucket must be above 0, as in 25MiB\n");
  const Outcome none = collcast(changed + "--bucket 1MiB");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("has no two allreduces beside the computation"), std::string::npos) << none.err;
}

/// A number behind a setting is another value of it; a name behind it another name.
TEST(Lists, TakeSettingsOfNames) {
  const std::string train = "train --model resnet50 --platform summit --ranks 6 --format csv --framework ";
  const Outcome frameworks = collcast(train + "horovod:fusion=16MiB:64MiB:x2,cycle=1ms,5ms,ddp");
  EXPECT_EQ(rows(frameworks), 7) << frameworks.err;
  EXPECT_NE(frameworks.out.find("\"horovod:fusion=32MiB,cycle=5ms\""), std::string::npos) << frameworks.out;
  EXPECT_EQ(collcast(train + "horovod:fusion=64MiB:16MiB").err,
            "collcast: framework: range '64MiB:16MiB' is empty: it begins after its end\n");
  EXPECT_EQ(collcast(train + "horovod:fushion=16MiB,32MiB").code, 2);
  EXPECT_EQ(
      rows(collcast(train + "ddp --input packed:sample=100KiB,shared=5,files:sample=100KiB,shared=5:20:x2")),
      4);
  EXPECT_EQ(rows(collcast("job p3dfft:n=64:256:x2 --platform summit --ranks 6 --format csv")), 3);
  EXPECT_EQ(
      rows(collcast("job p3dfft:n=64,mode=offload --platform bluefield-2-cluster --ranks 32 --pieces 1:4 "
                    "--delivery staged,direct --format csv")),
      6);
}

TEST(Lists, TakeWhatACallIs) {
  const std::string predict = "predict allreduce --platform summit --ranks 12 --size 64KiB --format csv ";
  EXPECT_EQ(
      rows(collcast(predict + "--algorithm hierarchical-ring --ranks-per-node 2,3 --memory host,device")), 4);
  EXPECT_EQ(rows(collcast(predict + "--algorithm pipelined-tree --segment 4KiB:16KiB")), 3);
  EXPECT_NE(collcast(predict + "--memory host,gpu").err.find("--memory: 'gpu' is not known"),
            std::string::npos);
  const Outcome offloaded = collcast(
      "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 64KiB --algorithm pairwise --engine "
      "path --offload dpu --workers 2,4 --pieces 1:4:x2 --format csv");
  EXPECT_EQ(rows(offloaded), 6) << offloaded.err;
  EXPECT_NE(offloaded.out.find("overlap_percent"), std::string::npos) << offloaded.out;
  const Outcome replayed = collcast("replay " + collcast::testing::trace +
                                    " --platform flat --engine path --compute-scale 1:4:x2 --format csv");
  EXPECT_EQ(rows(replayed), 3) << replayed.err;
}

/// What a sweep's file says of a name's settings are columns; the times are those of the name with them.
TEST(SweepCli, SettingsOfNamesAreAxes) {
  const Folder folder;
  const std::string start =
      R"({"ask": "train", "platform": "summit", "ranks": 12, "model": "resnet50", "framework": "horovod", )";
  const Outcome o = collcast(
      "sweep " +
      file(folder, start + R"("framework.fusion": "16MiB:64MiB:x4", "framework.cycle": ["1ms", "5ms"]})") +
      " --format csv -o " + folder / "j");
  EXPECT_EQ(rows(o), 4) << o.err;
  EXPECT_NE(o.out.find("framework.fusion,framework.cycle"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find(",start_broadcast_s\n"), std::string::npos) << o.out;
  const Outcome single = collcast(
      "train --model resnet50 --platform summit --ranks 12 --format csv --framework "
      "horovod:fusion=64MiB,cycle=5ms");
  const std::string step = single.out.substr(single.out.find('\n') + 1);
  EXPECT_NE(o.out.find(step.substr(0, step.find(",computation"))), std::string::npos) << o.out << step;
  const Outcome wrong = collcast("sweep " + file(folder, start + R"("framework.fushion": "16MiB"})"));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err.find("collcast: framework horovod has no 'fushion'; it takes "), 0u) << wrong.err;
}

/// Jobs and steps are played message by message in lists and sweeps, too: the rows of single answers.
TEST(Lists, TakeEngines) {
  const Folder folder;
  const std::string step =
      "train --model resnet50 --platform edr-cluster --ranks 8 --policy openmpi-4.0 --format csv";
  const auto time = [](const Outcome& o, const std::string& engine) {
    EXPECT_EQ(o.code, 0) << o.err;
    const std::string cut = "grep '" + engine + "' <<'E' | grep -o 'edr-cluster.*'\n" + o.out + "E\n";
    return shell(cut).out;
  };
  const std::string s =
      file(folder, R"({"ask": "train", "model": "resnet50", "platform": "edr-cluster", "ranks": 8, )"
                   R"("policy": "openmpi-4.0", "engine": ["path", "contention"]})");
  const Outcome listed = collcast(step + " --engine path,contention");
  const Outcome swept = collcast("sweep " + s + " --format csv -o " + folder / "j");
  EXPECT_EQ(listed.out, swept.out);
  const Outcome single = collcast(step + " --engine contention");
  const std::string steps = single.out.substr(single.out.find('\n') + 1);
  const std::string common = steps.substr(0, steps.find(",computation"));
  EXPECT_NE(time(listed, ",contention,").find(common), std::string::npos) << listed.out << common;
  const Outcome job = collcast("job kmeans --platform edr-cluster,summit --ranks 4 --engine path");
  EXPECT_EQ(job.code, 0) << job.err;
  EXPECT_EQ(collcast("compare kmeans --ranks 4 --on summit --on edr-cluster --engine path").code, 0);
}

TEST(Lists, OneRowIsTheSingleAnswer) {
  const Outcome single = collcast(
      "predict allreduce --platform flat --ranks 8 --size 1KiB --algorithm ring --format json | sed -n "
      "'s/ *\"time_s\": //p'");
  const Outcome both = collcast(
      "predict allreduce --platform flat --ranks 8 --size 1KiB --algorithm ring,swing --format json");
  EXPECT_NE(both.out.find("\"time_s\": " + single.out), std::string::npos) << both.out;
}

TEST(Lists, RefuseWhatIsOfOneCase) {
  const Outcome o = collcast("replay " + collcast::testing::trace + " --platform flat,summit --explain");
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.err, "collcast: --explain takes a single case, not a list of them\n");
  const Outcome unknown = collcast("replay " + collcast::testing::trace + " --platform flat,sumit");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("there is no platform 'sumit'"), std::string::npos) << unknown.err;
}

TEST(Lists, AFailingCaseIsListed) {
  const Outcome o = collcast("train --model resnet50 --platform p40-node,summit --ranks 12 --format csv");
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("p40-node holds 8 ranks, not 12"), std::string::npos) << o.err;
  EXPECT_NE(o.out.find(",summit,"), std::string::npos) << o.out;
}

/// Each case is the answer that it has alone, in a file of its own.
TEST(Tune, TakesLists) {
  const Folder folder;
  const std::string tune = "tune --for openmpi --size 1KiB,64KiB --collective allreduce --engine path ";
  const Outcome all =
      collcast(tune + "--platform summit,frontera --ranks 64:128:x2 --format csv -o " + folder / "r.txt");
  EXPECT_EQ(rows(all), 8) << all.err;
  const Outcome one =
      collcast(tune + "--platform frontera --ranks 128 --format csv -o " + folder / "one.txt");
  const std::string row = one.out.substr(one.out.find('\n') + 1);
  EXPECT_NE(all.out.find("frontera,128," + row.substr(0, row.find('\n'))), std::string::npos)
      << all.out << one.out;
  EXPECT_EQ(shell("cmp " + folder / "one.txt" + " " + folder / "r-frontera-128.txt").code, 0);
  EXPECT_EQ(shell("ls " + folder / "" + " | wc -l").out, "5\n");
  EXPECT_EQ(rows(collcast(tune + "--platform summit --ranks 64 --policy openmpi-4.0,openmpi-4.1 --set "
                                 "network.bandwidth_GBps=5,10 --format csv")),
            8);
  const Outcome some = collcast(tune + "--platform p40-node,summit --ranks 12 --format csv");
  EXPECT_EQ(some.code, 1);
  EXPECT_NE(some.err.find("note: platform p40-node: p40-node holds 8 ranks"), std::string::npos) << some.err;
  EXPECT_EQ(collcast(tune + "--platform summit,flat --ranks 12 --plot " + folder / "p.svg").err,
            "collcast: --plot takes a single case, not a list of them\n");
  EXPECT_EQ(collcast(tune + "--platform summit,sumit --ranks 1:0").code, 2);
}

TEST(Compare, RefusesWhatIsAnotherSubjects) {
  for (const std::string words :
       {"--model resnet50 --nodes 1 --compute-scale 2", "allreduce --size 1MiB --ranks 4 --batch 3",
        "kmeans --ranks 4 --algorithm allreduce=ring"}) {
    const Outcome o = collcast("compare " + words + " --on summit");
    EXPECT_EQ(o.code, 2) << words;
    EXPECT_NE(o.err.find(" goes with what `"), std::string::npos) << o.err;
  }
}

/// For each case a row of each platform, side by side.
TEST(Compare, TakesLists) {
  const std::string steps = "compare --model resnet50 --format csv --framework ddp,horovod ";
  const Outcome o = collcast(steps + "--platform summit,dgx-a100 --nodes 1,2");
  ASSERT_EQ(rows(o), 8) << o.err;
  EXPECT_LT(o.out.find("summit,ddp"), o.out.find("dgx-a100,ddp"));
  EXPECT_LT(o.out.find("dgx-a100,ddp"), o.out.find("summit,horovod"));
  EXPECT_EQ(rows(collcast("compare allreduce,broadcast --size 1KiB,1MiB --ranks 4:8:x2 --platform flat "
                          "--set network.bandwidth_GBps=5,10 --format csv")),
            16);
  const std::string on = " --size 1KiB --ranks 4 --platform flat --format csv";
  EXPECT_EQ(collcast("compare allreduce bcast" + on).out, collcast("compare allreduce,bcast" + on).out);
  EXPECT_NE(collcast("compare allreduce bcsat" + on).err.find("unknown collective 'bcsat'"),
            std::string::npos);
  EXPECT_EQ(rows(collcast("compare allreduce --size 1MiB --budget 40:80:x2 --format csv --on "
                          "summit,node.price_per_hour_USD=10,20")),
            4);
  EXPECT_EQ(rows(collcast("compare " + collcast::testing::trace +
                          " --platform flat --engine path --algorithm allreduce=ring,rabenseifner --policy "
                          "fastest,mpich --format csv")),
            4);
  const Outcome one = collcast("compare --model resnet50 --platform summit --ranks 4,6 --precision amp,fp8");
  EXPECT_EQ(one.code, 1);
  EXPECT_NE(one.err.find("note: a case of summit was refused: "), std::string::npos) << one.err;
  const Outcome some = collcast(
      "compare allreduce --size 1MiB --ranks 6,8 --on flat --algorithm ring,rabenseifner "
      "--engine path --transport nccl:LL,x");
  EXPECT_EQ(some.code, 2);
}

TEST(Compare, AtEqualNodesAndCost) {
  const std::string json =
      " --format json --on summit,node.price_per_hour_USD=10 --on "
      "dgx-a100,node.price_per_hour_USD=20";
  const Outcome nodes = collcast("compare allreduce --size 1MiB --nodes 2" + json);
  EXPECT_EQ(nodes.code, 0) << nodes.err;
  EXPECT_EQ(nodes.err, "");
  EXPECT_NE(nodes.out.find("\"ranks\": 12"), std::string::npos) << nodes.out;
  EXPECT_NE(nodes.out.find("\"ranks\": 16"), std::string::npos) << nodes.out;
  const Outcome cost =
      collcast("compare --model resnet50 --budget 45" + json);  // four of one, two of the other
  EXPECT_NE(cost.out.find("\"ranks\": 24"), std::string::npos) << cost.out;
  EXPECT_NE(cost.out.find("\"ranks\": 16"), std::string::npos) << cost.out;
  EXPECT_NE(cost.out.find("\"hourly_USD\": 40"), std::string::npos) << cost.out;
  EXPECT_EQ((nodes.out + cost.out).find("has no effect"), std::string::npos) << nodes.out << cost.out;
  EXPECT_EQ(rows(collcast("compare p3dfft:n=64 --ranks 8 --on frontera --on summit --format csv")), 2);
  EXPECT_EQ(collcast("compare allreduce --size 1MiB --budget 45 --on flat").err,
            "collcast: --budget: the price of flat is unknown; add it after a comma, as in "
            "flat,node.price_per_hour_USD=20\n");
  EXPECT_EQ(collcast("compare allreduce --size 1MiB --nodes 2 --ranks 4 --on flat").code, 2);
  EXPECT_EQ(collcast("compare allreduce --size 1MiB --nodes 2 --on p40-node").err,
            "collcast: --nodes 2: p40-node holds 8 ranks, not 16\n");
  const Outcome rich =
      collcast("compare allreduce --size 1MiB --budget 1e12 --on p40-node,node.price_per_hour_USD=1e-9");
  EXPECT_EQ(rich.code, 0) << rich.err;
  EXPECT_NE((rich.out + rich.err)
                .find("--budget pays for more nodes than p40-node,node.price_per_hour_USD=1e-9 has"),
            std::string::npos)
      << rich.out << rich.err;
  EXPECT_EQ(collcast("compare --on flat").code, 2);
}

TEST(Plan, OfATraceAndOfAJob) {
  if (::collcast::address_sanitizer)
    GTEST_SKIP() << "its numbers take two minutes; SaysWhatIsWrong plans, too";
  const Outcome o = collcast("plan --trace " + collcast::testing::trace +
                             " --runs 1000 --platform flat --format json | sed -n 's/ *\"time_s\": //p'");
  const Outcome once = collcast("replay " + collcast::testing::trace +
                                " --platform flat --format json | sed -n 's/^  \"time_s\": //p'");
  EXPECT_NEAR(std::stod(o.out), 1000 * std::stod(once.out), 1e-9 * std::stod(o.out));
  // One node of p4d costs 32.77 USD per hour, as its file says.
  const std::string priced = "plan --job kmeans --runs 1e6 --platform p4d --ranks 8 --format json";
  const double time = std::stod(collcast(priced + " | sed -n 's/ *\"time_s\": //p'").out);
  const double cost = std::stod(collcast(priced + " | sed -n 's/ *\"cost_USD\": //p'").out);
  EXPECT_NEAR(cost, time / 3600 * 32.77, 1e-9 * cost);
  // A platform may be named as it was asked for.
  const std::string file = COLLCAST_SOURCE_DIR "/platforms/data/p4d.json";
  EXPECT_NEAR(std::stod(collcast("plan --job kmeans --runs 1e6 --platform " + file + " --ranks 8 --price " +
                                 file + "=65.54 --format json | sed -n 's/ *\"cost_USD\": //p'")
                            .out),
              2 * cost, 1e-9 * cost);
  // A step is trained whole, and limits may be short.
  const std::string few = "plan --model resnet50 --platform summit --ranks 6 --format csv --samples ";
  EXPECT_EQ(collcast(few + "1").out, collcast(few + "100").out);
  EXPECT_EQ(collcast(few + "1 --time 5ms").code, 1);
}

TEST(Plan, SaysWhatIsWrong) {
  EXPECT_EQ(collcast("plan --job p3dfft:n=64 --platform frontera --ranks 4,8 --time 1h").code, 0);
  EXPECT_EQ(collcast("plan --job kmeans --platform p4d --ranks 8 --price dgx-2=1").err,
            "collcast: 'dgx-2=1' names a platform that is not in the plan, which has p4d\n");
  EXPECT_EQ(collcast("plan --job kmeans --platform p4d --ranks 8 --price p4d=0").err,
            "collcast: --price of p4d must be above 0, got 0\n");
  EXPECT_EQ(collcast("plan --job kmeans --platform p4d --ranks 8 --price p4d=1,p4d=2").err,
            "collcast: --price 'p4d=2' is a second one for p4d; expected one for each platform\n");
  const Outcome odd = collcast("plan --job kmeans --platform p4d --ranks 8 --set network.bandwidth_GBps=200");
  EXPECT_NE((odd.out + odd.err).find("than a port or cable of a network has ever had"), std::string::npos);
  EXPECT_EQ(collcast("plan --job p3dfft:n=64 --model resnet50 --platform frontera --ranks 4").code, 2);
  EXPECT_EQ(collcast("plan --model resnet50 --platform summit --ranks 6").err,
            "collcast: samples are required: how many the job trains on in all (--samples)\n");
  EXPECT_EQ(collcast("plan --model resnet50 --platform summit --ranks 6 --samples 1 --time 1mm").err,
            "collcast: time limit '1mm' is not a time above 0, from 1e-9 to 1e18 of a unit, as 90s, 30m, 2h, "
            "3d or 5ms\n");
  for (const std::string words : {"--model resnet50 --samples 1 --runs 2", "--job p3dfft:n=64 --batch 2",
                                  "--job p3dfft:n=64 --samples 2", "--job p3dfft:n=64 --efficiency 80"})
    EXPECT_EQ(collcast("plan --platform frontera --ranks 4 " + words).code, 2) << words;
  const Outcome nobody = collcast("plan --job kmeens --platform frontera,summit --ranks 4,8");
  EXPECT_EQ(nobody.code, 2);
  EXPECT_EQ(nobody.out, "");
  EXPECT_NE(nobody.err.find("unknown application 'kmeens'"), std::string::npos) << nobody.err;
}

/// A candidate of each framework and batch, each as the plan of it alone has it.
TEST(Plan, TakesListsOfFrameworksAndBatches) {
  const std::string plan =
      "plan --model alexnet --samples 1e5 --platform dgx-1v --ranks 4 --aim time --format csv ";
  const Outcome all = collcast(plan + "--framework horovod:fusion=4MiB,cycle=5ms,ddp --batch 32,64");
  EXPECT_EQ(rows(all), 4) << all.out;
  EXPECT_NE(all.out.find("\"horovod:fusion=4MiB,cycle=5ms\",64,"), std::string::npos) << all.out;
  EXPECT_NE(all.out.find(",ddp,32,"), std::string::npos) << all.out;
  const std::string alone = collcast(plan + "--batch 64").out;
  const std::string numbers = alone.substr(alone.find(",4,"), 20);
  EXPECT_NE(all.out.find(",ddp,64" + numbers), std::string::npos) << all.out << alone;
  EXPECT_EQ(collcast(plan + "--framework ddp,zeroo").code, 2);
}

TEST(Plan, ChoosesAmongPoliciesAndParameters) {
  const std::string plan = "plan --model alexnet --samples 1e5 --platform dgx-1v --ranks 4,8 --format csv ";
  EXPECT_EQ(rows(collcast(plan + "--policy nccl-2.18,nccl-2.28")), 4);
  const Outcome set = collcast(plan + "--set devices.V100-SXM2-32GB.memory_GiB=16,32");
  EXPECT_EQ(rows(set), 4) << set.err;
  EXPECT_NE(set.out.find("\"dgx-1v,devices.V100-SXM2-32GB.memory_GiB=32\""), std::string::npos) << set.out;
  EXPECT_EQ(collcast(plan + "--model alexnet,vgg16").code, 2);
  EXPECT_EQ(collcast("plan --job p3dfft:n=64:128 --platform frontera --ranks 4").err,
            "collcast: a plan is of a single job, not of a list: p3dfft:n=64:128\n");
}

/// The best of each machine's layouts is a step as `train` has it; what was left out is counted.
TEST(Plan, ChoosesLayouts) {
  const std::string gpt =
      "--model gpt:layers=4,hidden=1024,heads=4,sequence=1024 --precision amp "
      "--global-batch 16 --platform dgx-a100 --ranks 8 ";
  const std::string plan = "plan --samples 1600 --layouts --format csv " + gpt;
  const Outcome o = collcast(plan);
  EXPECT_EQ(rows(o), 3) << o.err;
  EXPECT_NE(o.err.find(" fit; the 3 fastest of each machine and number of ranks are candidates."),
            std::string::npos)
      << o.err;
  EXPECT_NE(o.err.find("tensor parallelism beyond a node was not tried; --max-tp N does"), std::string::npos);
  const std::string best =
      shell("collcast " + plan.substr(0, plan.find("--format")) + "--format json " + gpt +
            " | grep -m1 '\"framework\"' | sed 's/.*: \"//;s/\",*$//' | tr -d '\n'")
          .out;
  const auto time = [](const std::string& command, const std::string& key) {
    return std::stod(
        shell("collcast " + command + " --format json | grep -m1 '\"" + key + "\"' | sed 's/.*: //'").out);
  };
  EXPECT_NEAR(time("train " + gpt + "--framework " + best, "step_s") * 100,
              time("plan --samples 1600 --layouts " + gpt, "time_s"), 1e-6)
      << best;
  const Outcome fixed =
      collcast(plan + "--framework megatron:tp=2,pp=2,micro-batches=8,interleave=1,recompute=1");
  EXPECT_EQ(rows(fixed), 1) << fixed.err;
  EXPECT_NE(fixed.out.find(",dp=2 tp=2 pp=2,8,1,"), std::string::npos) << fixed.out;
  const Outcome large = collcast(
      "plan --samples 16 --layouts --model gpt3-175b --precision amp --global-batch 8 "
      "--platform dgx-a100 --ranks 8");
  EXPECT_EQ(large.code, 1);
  EXPECT_NE(large.out.find("too much memory"), std::string::npos) << large.out;
  EXPECT_NE(collcast("plan --samples 16 --model gpt3-13b --precision amp --platform dgx-a100 --ranks 8")
                .err.find("--layouts tries other kinds of parallelism"),
            std::string::npos);
  EXPECT_EQ(collcast("plan --samples 16 --model gpt3-13b --platform dgx-a100 --ranks 8 --max-tp 4").code, 2);
  EXPECT_EQ(collcast("plan --job kmeans --platform p4d --ranks 8 --layouts").code, 2);
  EXPECT_EQ(collcast(plan + "--max-tp 0").code, 2);
}

/// What a tenth more saves is of the machine that was chosen, even if a slower one has its name.
TEST(Plan, OfTwoPlatformsOfOneName) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "as OfATraceAndOfAJob";
  const Folder folder;
  const std::string slow = folder / "p4d.json";
  shell(
      "sed 's/\"bandwidth_GBps\": {\"value\": 7.6, \"low\": 6.9/\"bandwidth_GBps\": {\"value\": 0.1, "
      "\"low\": 0.1/' " COLLCAST_SOURCE_DIR "/platforms/data/p4d.json > " +
      slow);
  const auto more = [](const std::string& platforms) {
    return collcast("plan --job p3dfft:n=64 --ranks 16 --time 1h --platform " + platforms +
                    " --format json | sed -n '/a_tenth_more/,/]/p'")
        .out;
  };
  const std::string alone = more("p4d");
  EXPECT_NE(alone.find("parameter"), std::string::npos) << alone;
  EXPECT_NE(more(slow), alone);
  EXPECT_EQ(more(slow + ",p4d"), alone);
}

}  // namespace
