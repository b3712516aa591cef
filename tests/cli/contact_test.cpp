// SPDX-License-Identifier: Apache-2.0
// What a new user meets: mistakes that lead on, help and tables that fit, completions, manual pages, words.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "support/wrap.hpp"
#include "tests/cli/collcast.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/samples.hpp"
#include "tests/sanitized.hpp"

namespace {

using ::collcast::parse_json;
using collcast::testing::collcast, collcast::testing::Outcome, collcast::testing::shell,
    collcast::testing::trace, collcast::testing::build_folder, collcast::testing::has_recorder,
    collcast::testing::has_simgrid;
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
  collcast::testing::EachOrOneIn tried(3);
  const std::string predict = "predict allreduce --platform flat --ranks 4 --size 1KiB ";
  for (const auto& [words, said] : std::vector<std::pair<std::string, std::string>>{
           {"predit", "there is no verb 'predit'; did you mean 'predict'?"},
           {"all_reduce_perf -b 8 -e 128M",
            "there is no verb 'all_reduce_perf'; a collective is asked for by predict, as in predict "
            "all_red"},
           {"osu_bcast -m 8", "there is no verb 'osu_bcast'; a collective is asked for by predict"},
           {"simulate x.et", "there is no verb 'simulate'; predict forecasts a collective, replay a trace"},
           {"list", "there is no verb 'list'; platforms, algorithms and models list what there is"},
           {predict + "--nodes 4",
            "predict has no --nodes; here that is --ranks, those of all nodes together"},
           {predict + "--proto LL128", "predict has no --proto; here that is --transport, as in --transport"},
           {predict + "--collective allgather", "predict has no --collective; here that is the first word"},
           {"train --model resnet50 --platform flat --ranks 4 --batch-size 8",
            "train has no --batch-size; here that is --batch\n"},
           {"tune --platform flat --ranks 4 --size 1KiB --library nccl",
            "tune has no --library; here that is --for, as in --for nccl\n"},
           {"calibrate --platform flat",
            "calibrate has no --platform; here that is --base, a name or a file\n"},
           {"train --model llama3-8b --platform flat --ranks 4 --seq 4096",
            "train has no --seq; here that is --model, as in llama3-8b:sequence=4096\n"},
           {"train --model gpt3-13b --platform dgx-a100 --ranks 64 --tp 8",
            "train has no --tp; here that is --framework, as in megatron:tp=8,pp=4\n"},
           {"train --model llama2-7b --platform dgx-h100 --ranks 64 --cp 4",
            "train has no --cp; here that is --framework, as in megatron:tp=8,pp=4\n"},
           {"train --model llama2-7b --platform dgx-h100 --ranks 64 --framework megatron:tp=2,cp=3",
            "training: 64 ranks do not divide into tensor x spatial x context x pipeline = 2 x 1 x 3 x 1\n"},
           {"train --model resnet50 --platform flat --ranks 4 --framework deepspeed",
            "unknown framework 'deepspeed'; did you mean zero1 or zero2 or zero3? (known: horovod, ddp, "},
           {"frobnicate", "there is no verb 'frobnicate'; expected one of: algorithms, platforms, "},
           {"", "a verb is missing; expected one of: algorithms, platforms, "},
           {predict + "--algoritm ring", "predict has no --algoritm; did you mean --algorithm?"},
           {predict + "--xyzzy 3", "predict has no --xyzzy; it takes --help, -h, "},
           {"predict allreduce --platfrom flat", "predict has no --platfrom; did you mean --platform?"},
           {"predict allredcue --platform flat --ranks 4 --size 1",
            "unknown collective 'allredcue'; did you mean 'allreduce'?"},
           {"predict nosuch --platform flat --ranks 4 --size 1",
            "unknown collective 'nosuch'; expected one of: allreduce, reduce-scatter, "},
           {predict + "--policy nccl", "unknown policy 'nccl'; did you mean 'nccl-2.7', 'nccl-2.8', ... or"},
           {predict + "--policy nosuch", "unknown policy 'nosuch'; expected one of: mpich, "},
           {"predict allreduce --platform nosuch --ranks 4 --size 1",
            "there is no platform 'nosuch' (known: flat, summit, "},
           {"predict allreduce --platform sumit --ranks 4 --size 1",
            "there is no platform 'sumit'; did you mean summit? (known: "},
           {predict + "--algorithm rin", "no algorithm 'rin' for allreduce; did you mean 'ring'?"},
           {predict + "--set network.bandwith=25",
            "--set: network.bandwith: flat has no such parameter; did you mean network.bandwidth_GBps?"},
           {predict + "--set xyzzy=25",
            "--set: xyzzy: flat has no such parameter; `collcast platforms flat --all` lists them"},
           {"predict allreduce --platform frontier --ranks 16 --size 1MiB --policy nccl-2.18",
            "nccl-2.18 does not support the cdna2 GPU MI250X-GCD; it supports those of NVIDIA, rccl-2.26 "
            "this one"},
           {"foo predict", "there is no verb 'foo'; expected one of: algorithms, platforms, "},
           {predict + "--format yaml",
            "--format: 'yaml' is not known; expected one of: csv, json, markdown, table; "},
           {predict + "--format jsn", "--format: 'jsn' is not known; did you mean 'json'?\n"},
           {predict + "--memory gpu", "--memory: 'gpu' is not known; expected one of: device, host; "},
           {predict + "-b 8", "predict has no -b; here that is --size, as in --size 8:128MiB:x2\n"},
           {predict + "-g 8", "predict has no -g; here that is --ranks\n"},
           {predict + "-o x", "predict has no -o; see collcast predict --help\n"},
           {"-x", "collcast has no -x; see collcast --help\n"},
           {predict + "--set =5", "--set '=5' is not KEY=VALUE, as in network.bandwidth_GBps=25\n"},
           {predict + "--set network.bandwidth_GBps=5,network.latency_us=3",
            "--set 'network.bandwidth_GBps=5,network.latency_us=3': network.latency_us=3 takes a --set "
            "of its own\n"},
           {predict + "--set network.bandwidth_GBps=inf",
            "--set: network.bandwidth_GBps: 'inf' is not a number\n"},
           {"inspect " + trace + " --like deepintrospect --format csv",
            "--like deepintrospect writes JSON: it does not go with --format csv or markdown\n"},
           {"convert x --to ct -o y", "--to: 'ct' is not known; did you mean 'cct'"},
           {predict + "--platform summit", "--platform is given more than once"},
           {"compare " + trace, "--on or --platform is required; see collcast compare --help"},
           {"compare " + trace + " --on flat --compute-scale -1",
            "--compute-scale '-1' is not a number from 0 to 1000000000"},
           {"train --model resnet50 --platform summit --ranks 6 --framework horovod:cycle=3.5",
            "framework horovod: cycle '3.5' is not understood; times are like 3.5ms"},
           {"prove allreduce --algorithm ring --ranks 100000",
            "a proof keeps what each block of each rank combines: 100000 ranks and 100000 blocks take more"},
           {"predict allreduce --ranks 4 --size 1 --platform " + trace,
            trace + ": is a recorded application, which `collcast replay` takes; expected JSON\n"},
           {"replay " + trace + " --platform flat -a allreduce=ring -a allreduce=rabenseifner",
            "--algorithm names an algorithm of allreduce twice"},
           {"replay " + trace + " --platform flat -a allreduce=ring,bcast=chain",
            "--algorithm 'allreduce=ring,bcast=chain': bcast=chain takes an --algorithm of its own"},
           {"replay " + trace + " --platform flat -a allreduce@1KiB=ring -a allreduce@1024=ring",
            "allreduce@1KiB=ring: these messages have an algorithm already"},
           {"replay " + trace + " --platform flat --cycle 0", "--cycle must be above 0, as in 5ms"},
           {"job --list --platform summit", "--platform excludes --list"},
           {"platforms summit --import " + trace + " -o x.json", "platform excludes --import"},
           {"platforms --import " + trace + " -o x.json --set network.bandwidth_GBps=25",
            "--set excludes --import"},
           {"export allreduce --algorithm ring --ranks 4 --format goal --reduction 0",
            "--reduction: Value 0 must be above 0; see collcast export --help"},
           {"help nosuch", "there is no verb 'nosuch'; expected one of: algorithms, "},
           {"predit --help", "there is no verb 'predit'; did you mean 'predict'?"},
           {predict + "--fusion 1MiB", "predict has no --fusion; that is an option of replay"},
           {"compare allreduce --on flat,summit --ranks 4 --size 8",
            "--on flat,summit: 'summit' is not KEY=VALUE; another platform has an --on of its own\n"},
           {"predict allreduce --platform flat,network.latency_us=5 --ranks 4 --size 8",
            "there is no platform 'network.latency_us=5'; parameters are what --set takes (known: "},
           {predict + "--engine", "--engine needs a value; see collcast predict --help\n"},
           {"models resnet50 vgg16", "too many words: vgg16; see collcast models --help\n"},
           {"platforms summit --ranks 0.5", "--ranks: '0.5' is not from 1 to 512; see collcast platforms"},
           {"prove allreduce --algorithm ring --ranks 3 --buffer path", "buffer 'path' is not understood"},
           {"export allreduce --algorithm ring --ranks 3 --format goal --root x --size y", "size 'y' is not"},
           {"man predict -o x", "verb excludes --output"},
           {"inspect /none", "/none: cannot be read: No such file or directory"},
           {"explain busbandwidth",
            "the glossary has no 'busbandwidth'; did you mean 'bus bandwidth'?; collcast explain lists its "
            "words\n"},
           {"explain busb", "the glossary has no 'busb'; did you mean 'busbw'?"},
           {"explain algorithm bandwith",
            "the glossary has no 'algorithm bandwith'; did you mean 'algorithm bandwidth'?; collcast explain "
            "lists"},
           {"explain latncy nosuch", "the glossary has no 'latncy nosuch'; did you mean 'latency'?"},
           {"explain nosuch", "the glossary has no 'nosuch'; collcast explain lists its words\n"},
           {"algorithms --collective bcst", "unknown collective 'bcst'; did you mean 'bcast'?\n"},
           {"predict allreduce --platform flat --ranks 4 --size 1KiB,,2KiB",
            "--size: '1KiB,,2KiB' has an empty item"},
           {"predict allreduce --platform flat --ranks=4, --size 1KiB", "--ranks: '4,' has an empty item"},
           {"train --model resnet50 --platform summit -n,6", "-n: ',6' has an empty item"},
           {"man predit", "there is no verb 'predit'; did you mean 'predict'?"},
           {"predict allreduce --platform flat --ranks 4 --size 8 --timeline-events 1000",
            "--timeline-events requires --timeline; see collcast predict --help\n"},
           {predict + "--set network.latency_us=1 --set network.latency_us=2",
            "--set: network.latency_us is set twice\n"},
           {"compare allreduce --ranks 4 --size 8 --on flat,network.latency_us=1,network.latency_us=2",
            "--set: network.latency_us is set twice\n"},
           {"job --platform summit", "--platform needs a job, FILE.json or an application; see collcast job"},
           {"job --list --ranks 4", "--ranks needs a job, FILE.json or an application, without --list\n"},
           {"job ''", "what: must not be empty; see collcast job --help\n"},
           {"models ''", "model: must not be empty; see collcast models --help\n"},
           {"explain ''", "word: must not be empty; see collcast explain --help\n"},
           {"algorithms ''", "--collective: must not be empty"},
           {"platforms ''", "platform: must not be empty; see collcast platforms --help\n"},
           {"man ''", "verb: must not be empty; see collcast man --help\n"},
           {predict + "--placement " + std::string(300, 'x'),
            "placement: must be block, round-robin or by-socket, with :NODES or without, or a file of 'rank "
            "0=node3 "
            "slot=1' lines, not "
            "'xxx"},
           {"export allreduce --algorithm ring --ranks 4000 --format msccl",
            "MSCCL's XML has a line for each message, and these would be more than a million; write it for"},
           {"export allreduce --algorithm ring --ranks 4000 --format goal",
            "GOAL has lines for each message, and these would be more than ten million; write it for fewer "},
           {"export allreduce --algorithm ring --ranks 3 --format goal --reduction 1e-300",
            "GOAL's reductions would take more than 30 years; expected a larger --reduction"},
           {"train --model resnet50 --platform summit --ranks 6 --framework horovod:request=1us",
            "framework horovod:request=1us: request needs more tensors than the cache holds: resnet50 has "},
           {"completion tcsh", "there is no completion for 'tcsh'; expected one of: bash, zsh, fish"}}) {
    if (!tried()) continue;
    const Outcome o = collcast(words);
    EXPECT_EQ(o.code, 2) << words;
    EXPECT_THAT(o.err, StartsWith("collcast: " + said)) << words;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
}

TEST(Mistakes, OfRecordLeadOn) {
  if (!has_recorder) GTEST_SKIP() << "built without MPI";
  const Outcome words = collcast("record mpirun -np 2 true"), option = collcast("record --windw 3 -- true");
  EXPECT_EQ(words.code, 2);
  EXPECT_EQ(
      words.err,
      "collcast: record has no -np; options of the command to run stand behind --, as in -- mpirun -np 4 "
      "./app\n");
  EXPECT_EQ(option.code, 2);
  EXPECT_THAT(option.err, StartsWith("collcast: record has no --windw; did you mean --window?"));
}

/// Each file is told by its content, whatever its name, and by each reader.
TEST(Mistakes, AFileOfAnotherKindIsNamed) {
  const ::collcast::Folder folder;
  const std::string job = folder / "job", machine = folder / "machine.json", cases = folder / "cases.json",
                    schedule = folder / "schedule.json", table = folder / "table", empty = folder / "empty",
                    binary = folder / "binary.json", wide = folder / "wide.json",
                    wide_table = folder / "wide", list = folder / "list.json", packed = folder / "t.cct.gz",
                    wrong = folder / "wrong.json";
  const auto write = [](const std::string& file, const std::string& text) { std::ofstream(file) << text; };
  write(job, R"({"name": "j", "dimensions": {"all": 0}, "roles": [{"do": []}]})");
  write(machine, R"({"base": "flat"})");
  write(cases, R"({"ask": "predict", "platform": "flat", "ranks": 4, "collective": "allreduce"})");
  write(schedule, R"({"format": "collcast messages", "ranks": 4})");
  write(table, "# OSU MPI Latency Test v5.7\n# Size Latency (us)\n8 1.9\n");
  write(wrong, R"({"max_nodes": 4, "nod": {}})");  // of the kind that is asked for
  write(empty, "");
  write(binary, std::string("\x7f"
                            "ELF\0\0",
                            6));
  write(wide, std::string("{\0\"\0b\0\"\0", 8));        // UTF-16 without a mark
  write(wide_table, std::string("\xff\xfe#\0 \0", 6));  // and with one
  write(list, "[1]");
  ASSERT_EQ(shell("gzip -c " + trace + " >" + packed).code, 0);
  const std::string is_wide = ": is text in UTF-16; save it as UTF-8; expected ";
  const std::string is_trace = ": is a recorded application, which `collcast replay` takes; expected ",
                    is_machine = ": is the description of a machine, which --platform takes; expected ",
                    is_cases = ": is the cases of a sweep, which `collcast sweep` takes; expected ",
                    is_job = ": is the description of a job, which `collcast job` takes; expected ",
                    is_table =
                        ": is a table of measurements, which `collcast validate --measurements` and "
                        "`calibrate --from` take; expected ";
  for (const auto& [words, said] : std::vector<std::pair<std::string, std::string>>{
           {"job " + trace + " --platform flat", trace + is_trace + "JSON"},
           {"job " + machine + " --platform flat",
            machine + is_machine + "the description of a job, which has roles"},
           {"job " + empty + " --platform flat", empty + ": is empty; expected JSON"},
           {"job " + binary + " --platform flat", binary + ": is binary; expected JSON"},
           {"train --platform flat --ranks 4 --model " + trace,
            trace + is_trace + "a model's name, or its table: a file that ends in .csv"},
           {"replay --platform flat " + machine, machine + is_machine + "a trace, as docs/traces.md lists"},
           {"replay --platform flat " + job, job + is_job + "a trace"},
           {"replay --platform flat " + empty, empty + ": is empty; expected a trace"},
           {"inspect " + table, table + is_table + "a trace"},
           {"sweep " + machine, machine + is_machine + "the cases of a sweep, which name a platform"},
           {"sweep " + trace, trace + is_trace + "JSON"},
           {"platforms " + job, job + is_job + "the description of a machine"},
           {"platforms " + trace, trace + is_trace + "JSON"},
           {"platforms " + wrong, wrong + ": nod: unknown key; did you mean node? (accepted here: base, "},
           {"platforms " + cases, cases + is_cases + "the description of a machine"},
           {"platforms " + binary, binary + ": is binary; expected JSON"},
           {"prove --import " + trace, trace + is_trace + "MSCCL's XML, or what `collcast synthesize` wrote"},
           {"prove --import " + machine, machine + is_machine + "MSCCL's XML"},
           {"prove --import " + empty, empty + ": is empty; expected MSCCL's XML"},
           {"calibrate -o x.json --base edr-cluster --from " + trace,
            trace + is_trace + "a table of measurements, as docs/measurements.md lists"},
           {"validate --platform flat --measurements " + schedule,
            schedule + ": is a schedule that `collcast synthesize` made, which --import takes; expected a"},
           {"validate --platform flat --measurements " + empty, empty + ": is empty; expected a table"},
           {"platforms " + wide, wide + is_wide + "JSON"},
           {"inspect " + wide_table, wide_table + is_wide + "a trace"},
           {"validate --platform flat --measurements " + wide_table, wide_table + is_wide + "a table"},
           {"platforms -o x.json --import " + wide_table, wide_table + is_wide + "a topology"},
           {"predict allreduce --platform flat --ranks 2 --size 8 --placement " + wide_table,
            wide_table + is_wide + "a file of 'rank 0=node3 slot=1' lines"},
           {"platforms -o x.json --import " + machine, machine + is_machine + "a topology"},
           {"prove --import " + list, list + ": is neither XML nor a JSON object; expected MSCCL's XML"},
           {"inspect " + packed, packed + ": is packed by gzip, zstd or zip; unpack it, as a recording"},
           {"compare allredcue --on flat", "unknown collective 'allredcue'; did you mean 'allreduce'?"},
           {"compare nowhere.json --on flat", "nowhere.json: cannot be read: No such file or directory"},
           {"sweep " + folder.path(), folder.path() + ": cannot be read: it is a folder; expected a file"}}) {
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
  const Outcome o = collcast("replay " + trace + " --platform flat --algorithm bcast=chain --engine path");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("chain"));
}

TEST(Names, OptionsOfOtherProgramsAreTaken) {
  const std::string predict = "predict allreduce --platform flat --size 1k ";
  EXPECT_EQ(collcast(predict + "-np 4").out, collcast(predict + "-n 4").out);
  EXPECT_EQ(collcast("version").out, collcast("--version").out);
  EXPECT_EQ(collcast("-V").out, collcast("--version").out);
}

TEST(Names, ABarrierNeedsNoSize) {
  const Outcome o =
      collcast("predict barrier --platform flat --ranks 8 --algorithm dissemination --format csv");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("barrier,dissemination"));
}

/// Hosts send a barrier's messages: on Summit 95 of those that GPUs send, of no bytes, cost a root nothing.
TEST(Names, ABarrierMovesNothing) {
  const std::string barrier = "predict barrier --platform summit --ranks 96 --algorithm linear --format json";
  const auto plain = parse_json(collcast(barrier).out)["predictions"][0];
  EXPECT_GT(plain["time_s"], 2 * 95 * 0.1189e-6);  // the root's overhead of 95 messages each way
  const Outcome sized = collcast(barrier + " --size 1MiB");
  const auto row = parse_json(sized.out)["predictions"][0];
  EXPECT_EQ(row["time_s"], plain["time_s"]);
  EXPECT_EQ(row["algbw_GBps"], 0);
  EXPECT_THAT(sized.out + sized.err, HasSubstr("barrier moves no data: --size changes nothing"));
}

TEST(Verbs, ThatTakeAPlatformTakeItInShort) {
  for (const std::string& verb : verbs()) {
    const std::string help = collcast(verb + " --help").out;
    for (const std::string name : {"-p,--platform ", "-n,--ranks ", "-s,--size ", "-m,--model "})
      EXPECT_EQ(help.find("\n  " + name.substr(3)), std::string::npos) << verb << " has no " << name;
  }
}

TEST(Verbs, HaveHelp) {
  EXPECT_EQ(collcast("help gap").out, collcast("gap --help").out);
  EXPECT_EQ(collcast("help").out, collcast("--help").out);
}

TEST(Width, OfHelpIs80) {
  const std::vector<std::string> all = verbs();
  EXPECT_GE(all.size(), 17u);
  EXPECT_LE(widest(collcast("--help").out), 80u);
  for (const std::string& verb : all) EXPECT_LE(widest(collcast(verb + " --help").out), 80u) << verb;
}

/// man(1) indents by 7 characters; \- and \e are one each.
TEST(Width, OfManualPagesExamplesIs80) {
  for (const std::string& verb : verbs()) {
    std::string examples = collcast("man " + verb).out;
    examples.erase(0, examples.find(".nf\n"));
    for (std::size_t at = 0; (at = examples.find('\\', at)) != std::string::npos; ++at) examples.erase(at, 1);
    EXPECT_LE(widest(examples), 73u) << examples;
  }
}

/// script(1) gives the program a terminal of 80 columns.
TEST(Width, OfTablesIsTheTerminals) {
  if (shell("command -v script").code != 0) GTEST_SKIP() << "script(1) is not installed";
  collcast::testing::EachOrOneIn tried(2);
  for (const std::string words : {"algorithms", "platforms", "platforms summit",
                                  "predict allreduce --platform summit --ranks 12 --size "
                                  "1KiB --algorithm all"}) {
    if (!tried()) continue;
    const std::string run =
        "script -qec 'stty cols 80; unset COLUMNS; " + build_folder + "/collcast " + words;
    const std::string narrow = shell(run + " 2>/dev/null' /dev/null").out,
                      wide = shell(run + " --wide 2>/dev/null' /dev/null").out;
    EXPECT_LE(widest(narrow), 80u) << narrow;
    EXPECT_THAT(narrow, HasSubstr("(too wide for this terminal: "));
    EXPECT_GT(widest(wide), 80u);
    const std::string described = words == "platforms" ? "Summit (OLCF): 4608 nodes" : "";
    EXPECT_THAT(narrow, HasSubstr(described));
    EXPECT_THAT(collcast(words).out, ::testing::Not(HasSubstr("(too wide"))) << "in a pipe";
  }
}

/// Of 50 columns ranks, message and time take 5, 7 and 7, and the spaces between four of them 6: 25 are left.
TEST(Width, ANarrowTerminalShowsTheTime) {
  if (shell("command -v script").code != 0) GTEST_SKIP() << "script(1) is not installed";
  const std::string table = shell("script -qec 'stty cols 50; unset COLUMNS; " + build_folder +
                                  "/collcast predict allreduce --platform summit --ranks 12 --size 1KiB "
                                  "--algorithm all 2>/dev/null' /dev/null")
                                .out;
  EXPECT_LE(widest(table), 50u) << table;
  EXPECT_THAT(table, HasSubstr("time")) << table;
  EXPECT_THAT(table, HasSubstr("hierarchical-leader k=4..  ")) << table;
}

TEST(Platform, BeginsWithTwentyLines) {
  const std::string all = collcast("platforms summit").out;
  const std::string summary = all.substr(0, all.find("\n\n", all.find("\n\n") + 2));
  EXPECT_LE(std::count(summary.begin(), summary.end(), '\n'), 26);
  for (const char* words : {"up to 4,608, of 6 ranks each", "6 x V100-SXM2-16GB (volta, 16 GiB",
                            "x nvlink2: 25 GB/s", "fat-tree", "--set takes"})
    EXPECT_THAT(summary, HasSubstr(words));
  EXPECT_THAT(all, HasSubstr("devices.V100-SXM2-16GB.reduce_GBps"));
  EXPECT_THAT(all, HasSubstr("default: a third of memory_bandwidth_GBps"));
  EXPECT_THAT(collcast("platforms frontier").out, HasSubstr("switches a group: "));
  EXPECT_THAT(collcast("platforms tpu-v4").out, HasSubstr(", 16 x 16 x 16\n"));
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

TEST(Lists, ThatMayBeADecimalCommaAreDoubted) {
  const std::string predict = "predict allreduce --platform edr-cluster --ranks 4 --engine path --size ";
  EXPECT_THAT(collcast(predict + "1,5KiB").err, HasSubstr("a decimal point is a dot: 1.5KiB\n"));
  EXPECT_THAT(collcast(predict + "1KiB --set network.bandwidth_GBps=12,5").err,
              HasSubstr("a decimal point is a dot: 12.5\n"));
  EXPECT_THAT(collcast(predict + "8,1KiB").err, ::testing::Not(HasSubstr("decimal")));
}

/// Of 2,200 rows those that take longest; machines get all.
TEST(Inspect, PrintsTheLargestRows) {
  const std::string inspect = "inspect " COLLCAST_SOURCE_DIR "/traces/qe-si-8.cct";
  const std::string table = collcast(inspect).out;
  EXPECT_LT(std::ranges::count(table, '\n'), 100);
  EXPECT_THAT(table, AllOf(HasSubstr(" more; --format json has all\n"), HasSubstr("\nrank ")));
  EXPECT_GT(::collcast::parse_json(collcast(inspect + " --format json").out)["operations"].size(), 1000u);
}

TEST(Pages, ManualsAndCompletions) {
  const std::string page = collcast("man predict").out;
  EXPECT_THAT(page, StartsWith(".TH COLLCAST-PREDICT 1"));
  EXPECT_THAT(page, HasSubstr("\\-\\-platform"));
  EXPECT_THAT(
      collcast("man replay").out,
      HasSubstr("[options] trace...\n.SH ARGUMENTS\n.TP\n.B trace FILE...\nA trace, or one file per rank"));
  const std::string pages = collcast("man").out;
  for (const std::string& verb : verbs()) EXPECT_THAT(pages, HasSubstr("collcast\\-" + verb));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = collcast(std::string("completion ") + shell).out;
    for (const std::string& verb : verbs()) EXPECT_THAT(script, HasSubstr(verb)) << shell;
  }
  const std::string complete =
      "bash -c 'source <(collcast completion bash); COMP_WORDS=(collcast predict --platform sum); "
      "COMP_CWORD=3; "
      "_collcast; echo ${COMPREPLY[*]}; COMP_WORDS=(collcast pre); COMP_CWORD=1; _collcast; echo "
      "${COMPREPLY[*]}'";
  EXPECT_EQ(shell("export PATH=" + build_folder + ":$PATH; " + complete).out, "summit\npredict\n");
}

/// Words that bash gives its function, and what that answers.
TEST(Pages, BashCompletesNamesWithBlanksAndBehindAnEqualsSign) {
  const ::collcast::Folder folder;
  std::ofstream(folder / "my machine.json") << "{}";
  const std::string here = "cd " + folder.path() + "; export PATH=" + build_folder + ":$PATH; ";
  const auto replies = [&](const std::string& words, int at) {
    return shell(here + "bash -c 'source <(collcast completion bash); COMP_WORDS=(" + words +
                 "); COMP_CWORD=" + std::to_string(at) + "; _collcast; printf \"%s\\n\" \"${COMPREPLY[@]}\"'")
        .out;
  };
  EXPECT_EQ(replies("collcast job my", 2), "my machine.json\n");
  EXPECT_EQ(replies("collcast predict --platform = sum", 4), "summit\n");
  EXPECT_THAT(replies("collcast predict --format =", 3), HasSubstr("markdown\n"));
  EXPECT_EQ(replies("collcast tune --for mvap", 3), "mvapich2\n");
  EXPECT_EQ(replies("collcast train --model bert-l", 3), "bert-large\n");
  EXPECT_EQ(replies("collcast plan --framework mega", 3), "megatron\n");
  EXPECT_EQ(replies("collcast prove allreduce --algorithm rabens", 4), "rabenseifner\n");
  EXPECT_EQ(replies("collcast tune --collective allred", 3), "allreduce\n");
  EXPECT_EQ(replies("collcast man repl", 2), "replay\n");
  EXPECT_EQ(replies("collcast completion fi", 2), "fish\n");
}

/// As a file of $fpath the completion is the body of its own function: the first TAB has to work, too.
TEST(Pages, ZshCompletesAtTheFirstTab) {
  if (shell("command -v zsh").code != 0) GTEST_SKIP() << "zsh is not installed";
  const ::collcast::Folder folder;
  std::ofstream(folder / "tab.zsh") << R"(zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; print -r read''y"
zpty -r -m z seen '*ready*'
zpty -n -w z $'collcast predict --platform sum\t'
zpty -r -m z seen '*summit*' && print done
)";
  const Outcome o = shell("cd " + folder.path() +
                          " && collcast completion zsh >_collcast && timeout 20 zsh -f tab.zsh </dev/null");
  EXPECT_EQ(o.out, "done\n") << o.err;
}

TEST(Words, AreExplained) {
  EXPECT_EQ(collcast("explain exposed communication").out, collcast("explain 'exposed communication'").out);
  EXPECT_THAT(collcast("explain node 5 NIC 0 out").out,
              AllOf(HasSubstr("a host with its ranks"), HasSubstr("what its owner sends")));
  EXPECT_EQ(collcast("explain node 5 nowhere").code, 2);
  EXPECT_THAT(collcast("explain ring").out, HasSubstr("ring, an algorithm of allreduce: "));
  EXPECT_THAT(collcast("explain generation").out, HasSubstr("architecture"));
  EXPECT_THAT(collcast("explain low").out, HasSubstr("at their fast end"));
  EXPECT_THAT(collcast("explain busbw").out, HasSubstr("algbw times the collective's factor"));
  EXPECT_THAT(collcast("explain 'exposed communication'").out, HasSubstr("does not compute"));
  for (const char* column :
       {"mean factor", "inside the interval", "predicted as", "gap", "off before", "shape"})
    EXPECT_EQ(collcast(std::string("explain ") + column).code, 0) << column;
  EXPECT_GT(::collcast::parse_json(collcast("explain --format json").out).size(), 15u);
}

TEST(Compare, ReadsWhatReplayReads) {
  const ::collcast::Folder folder;
  const std::string file = ::collcast::samples::write(folder / "rank0.json", ::collcast::samples::kineto(0));
  const Outcome o =
      collcast("compare " + file + " --on dgx-1v,network.latency_us=2 -p dgx-1v,edr-cluster --format json");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto answer = parse_json(o.out);
  ASSERT_EQ(answer["runs"].size(), 3u);
  EXPECT_TRUE(answer["engine"].is_string());
  EXPECT_THAT(answer["notes"].dump(), HasSubstr("2 ranks, of which each is taken to be like one of the 1"));
  const auto alone = parse_json(collcast("replay " + file + " -p dgx-1v --format json").out);
  EXPECT_EQ(answer["runs"][1]["time_s"], alone["time_s"]);
}

/// What ran on GPUs has its data there, whether one says so or not.
TEST(Replay, TracesOfGpusAreOfTheirMemory) {
  const ::collcast::Folder folder;
  const std::string file = ::collcast::samples::write(folder / "rank0.json", ::collcast::samples::kineto(0));
  const auto time = [](const std::string& words) {
    const std::string asked = "replay " + words + " --platform dgx-1v --engine path --format json";
    return parse_json(collcast(asked).out)["operations"][0]["time_s"];
  };
  EXPECT_EQ(time(file), time(file + " --memory device"));
  EXPECT_LT(time(file), time(file + " --memory host"));
  EXPECT_EQ(time(trace), time(trace + " --memory host"));
}

/// The files of a job are named once, and what differs between rows has a column.
TEST(Replay, ListsHaveAHeadingAndTheirColumns) {
  const ::collcast::Folder folder;
  const std::string one = ::collcast::samples::write(folder / "one", ::collcast::samples::kineto(0)),
                    two = ::collcast::samples::write(folder / "two", ::collcast::samples::kineto(1));
  const Outcome files = collcast("replay " + one + " " + two + " -p dgx-1v,dgx-a100 --engine path");
  EXPECT_EQ(files.out.substr(0, files.out.find('\n')), one + " and 1 more: 2 points, engine path");
  const Outcome algorithms =
      collcast("replay " + trace + " -p flat --engine path --algorithm allreduce=ring,rabenseifner");
  EXPECT_THAT(algorithms.out, HasSubstr("\nalgorithm "));
  EXPECT_THAT(algorithms.out, HasSubstr("\nallreduce=rabenseifner "));
}

/// A rank that computes and waits for its host does not communicate; what the table shows adds up.
TEST(Replay, IdleTimeStandsBesideCommunication) {
  const ::collcast::Folder folder;
  const std::string file = ::collcast::samples::write(folder / "rank0.json", ::collcast::samples::kineto(0));
  const Outcome o = collcast("replay " + file + " -p dgx-1v");
  const auto share = [&](const std::string& row) {
    const std::size_t at = o.out.find('\n' + row);
    EXPECT_NE(at, std::string::npos) << row << o.out;
    const std::string line = o.out.substr(at + 1, o.out.find('\n', at + 1) - at - 1);
    return std::stod(line.substr(line.rfind("s ") + 2));
  };
  EXPECT_NEAR(share("computation ") + share("exposed communication ") + share("idle ("), 100, 0.3) << o.out;
  EXPECT_GT(share("idle ("), 1);
  const auto json = parse_json(collcast("replay " + file + " -p dgx-1v --format json").out);
  EXPECT_LE(json["exposed_communication_s"].get<double>() - json["idle_s"].get<double>(),
            json["communication_under_way_s"].get<double>() + 1e-9);
  const std::string compared = collcast("compare " + file + " --on dgx-1v").out;
  EXPECT_THAT(compared, HasSubstr("compute: the recorded GPU time, times 1.00."));
  EXPECT_THAT(compared, HasSubstr("exposed communication + idle"));
}

TEST(Replay, ExposedCommunicationIsCommunication) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  collcast::testing::EachOrOneIn tried(2);
  for (const char* name : {"lammps-melt-8", "qe-si-8"}) {
    if (!tried()) continue;
    const Outcome o = collcast("replay " COLLCAST_SOURCE_DIR "/traces/" + std::string(name) +
                               ".cct --platform flat --engine path --format json");
    const auto answer = ::collcast::parse_json(o.out);
    EXPECT_LE(answer["exposed_communication_s"].get<double>(), answer["communication_s"].get<double>());
    EXPECT_LT(answer["idle_s"].get<double>(), 1e-3 * answer["time_s"].get<double>());
  }
}

TEST(Replay, WithoutItsModuleNamesTheEngineThatNeedsNone) {
  if (!has_simgrid) GTEST_SKIP();
  const ::collcast::Folder folder;
  const std::string alone = folder / "collcast";
  std::filesystem::copy_file(build_folder + "/collcast", alone);
  const Outcome o = shell(alone + " replay " + trace + " --platform flat");
  EXPECT_EQ(o.code, 3);
  EXPECT_EQ(
      o.err,
      "collcast: SimGrid needs collcast-simgrid.so, which is neither beside this program, nor in ../lib "
      "from there, nor in LD_LIBRARY_PATH; --engine contention models shared links without it\n");
  const Outcome compared = shell(alone + " compare " + trace + " --on flat --on edr-cluster");
  EXPECT_EQ(compared.code, 3);
  EXPECT_THAT(compared.err, HasSubstr("; --engine contention models shared links without it\n"));
  const Outcome other = shell(alone + " replay " + trace +
                              " --platform flat --engine contention --set network.bandwidth_GBps=5");
  EXPECT_EQ(other.code, 0) << other.err;  // what the override changes is found out by that engine, too
}

/// Whether the interrupt comes before it is caught or after, and whatever was printed by then.
TEST(Interrupts, AreTheExitCode) {
  const Outcome o = shell("timeout --preserve-status -s INT 0.7 " + build_folder +
                          "/collcast synthesize allreduce --platform summit --size 1MiB --ranks " +
                          std::to_string(collcast::testing::all_or_one_in(4, 192)));
  EXPECT_EQ(o.code, 130) << o.out;  // 128 + SIGINT
}

/// A play of some seconds; --foreground, as a second signal would end the program anyway.
TEST(Interrupts, EndARow) {
  const Outcome o = shell("timeout --foreground --preserve-status -s INT 0.5 " + build_folder +
                          "/collcast predict alltoall --platform summit --ranks 768 --size 1MiB --engine "
                          "contention --algorithm pairwise");
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_EQ(o.out.find("pairwise"), std::string::npos) << o.out;
}

/// What is asked is wrong too, which would be seen later.
TEST(OutputFiles, ThatCannotBeWrittenAreRefusedBeforeTheWork) {
  for (const char* words :
       {"convert /nowhere/in --to ti", "export allreduce --algorithm none --ranks 8 --format goal",
        "platforms --import /nowhere/in", "synthesize allreduce --platform none --ranks 8"}) {
    const Outcome o = collcast(words + std::string(" -o /nowhere/out.json"));
    EXPECT_EQ(o.code, 2) << words;
    EXPECT_EQ(o.err, "collcast: /nowhere/out.json: cannot be written: No such file or directory\n") << words;
  }
}

}  // namespace
