// SPDX-License-Identifier: Apache-2.0
// The command line as its users call it: the built program, its output and its exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>

#include "support/json.hpp"
#include "tests/cli/collcast.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/samples.hpp"
#include "tests/sanitized.hpp"

namespace {

namespace samples = collcast::samples;
using collcast::dump, collcast::Json, collcast::parse_json;
using collcast::testing::collcast, collcast::testing::EachOrOneIn, collcast::testing::Outcome,
    collcast::testing::read_all, collcast::testing::trace, collcast::testing::has_recorder,
    collcast::testing::has_simgrid;

Json json(const std::string& arguments) {
  const Outcome o = collcast(arguments + " --format json");
  EXPECT_EQ(o.code, 0) << arguments << "\n" << o.err;
  return parse_json(o.out);
}

TEST(Cli, BadInputIsOneLineAndExitCode2) {
  EachOrOneIn tried(4);
  for (const std::string arguments :
       {"",
        "frobnicate",
        "predict",
        "algorithms --collective allredcue",
        "algorithms --frmat json",
        "platforms sumit",
        "predict alltoall --platform summit --ranks 12 --size 1KiB --offload dpu",
        "predict alltoall --platform flat --ranks 12 --size 1KiB --offload dpu",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload gpu",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload dpu --workers 9",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload dpu --workers 0",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload dpu --compute -1",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload dpu --compute nan",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload dpu --engine "
        "formula",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload dpu --policy mpich",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload none --engine "
        "simgrid",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload none --workers 2",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --workers 2",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload dpu --pieces 0",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload dpu --pieces 65",
        "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 1KiB --offload none --pieces 2",
        "job p3dfft:mode=offload --platform bluefield-2-cluster --ranks 64 --pieces 0",
        "prove allreduce --algorithm rings --ranks 8",
        "prove allreduce --algorithm ring --ranks 0",
        "prove allreduce --algorithm ring --ranks eight",
        "prove broadcast --algorithm flat --ranks 4 --root 4",
        "prove broadcast --algorithm flat --ranks 4 --root -1",
        "prove broadcast --algorithm knomial --ranks 4 --radix 1",
        "prove broadcast --algorithm chain --ranks 4 --size 1KiB --segment 0",
        "prove broadcast --algorithm chain --ranks 4 --size 1KiB --segment 2KiB",
        "predict allreduce --platform flat --ranks 4 --size 4QB",
        "predict allreduce --platform flat --ranks 4 --size -1",
        "predict allreduce --platform summit --ranks 27649 --size 1KiB",
        "predict allreduce --platform flat --ranks 4 --size 1KiB --engine magic",
        "predict allreduce --platform flat --ranks 4 --size 1KiB --set network.bandwith_GBps=25",
        "predict allreduce --platform flat --ranks 4 --size 1KiB --set network.bandwidth_GBps=-1",
        "predict allreduce --platform flat --ranks 4 --size 1KiB --set network.bandwidth_GBps",
        "predict allreduce --platform summit --ranks 4 --size 1KiB --placement cyclic",
        "predict allreduce --platform edr-cluster --ranks 4 --size 1KiB --set network.kind=torus",
        "predict allreduce --platform edr-cluster --ranks 4 --size 1KiB --set network.dimensions=3,3",
        "predict allreduce --platform summit --ranks 4 --size 1KiB --placement " COLLCAST_SOURCE_DIR
        "/README.md",
        "platforms --set network.bandwidth_GBps=25",
        "platforms --all",
        "platforms summit --ranks 6",
        "prove allreduce --ranks 4",
        "prove allreduce --algorithm ring",
        "prove --algorithm ring --ranks 4",
        "prove allreduce --algorithm ring --ranks 4,8",
        "prove --import /nowhere.xml",
        "prove --import " COLLCAST_SOURCE_DIR "/README.md",
        "prove --import " COLLCAST_SOURCE_DIR "/README.md --algorithm ring",
        "export allreduce --algorithm ring --ranks 4",
        "export allreduce --algorithm ring --ranks 4 --format dot",
        "export allreduce --algorithm ring --ranks 4 --format msccl -o /nowhere/ring.xml",
        "export allreduce --algorithm in-network --ranks 4 --format msccl",
        "export allreduce --algorithm ring --ranks 4 --format msccl --reduction 5",
        "export allgather --algorithm multicast --ranks 4 --format goal",
        "prove gatherv --algorithm linear --ranks 3 --counts 1,2",
        "prove gatherv --algorithm linear --ranks 3 --counts 1,2,3 --size 7",
        "prove gatherv --algorithm linear --ranks 3 --counts 1,-2,3",
        "prove gather --algorithm linear --ranks 3 --counts 1,2,3",
        "predict alltoallv --platform flat --ranks 2 --counts 1,2,3",
        "predict alltoallv --platform flat --ranks 2",
        "replay /nowhere.cct --platform flat",
        "replay " COLLCAST_SOURCE_DIR "/README.md --platform flat",
        "record",
        "record -- /nowhere/program"}) {
    if (!tried()) continue;
    const Outcome o = collcast(arguments);
    EXPECT_EQ(o.code, 2) << arguments << "\n" << o.out << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << arguments << "\n" << o.err;
    EXPECT_TRUE(o.out.empty()) << arguments << "\n" << o.out;
  }
}

/// Said of numbers that no call takes, whichever algorithm is asked for.
TEST(Cli, BadNumbersAreRepeatedWithWhatIsAccepted) {
  EachOrOneIn tried(3);
  for (const std::string algorithm : {"", " --algorithm chain", " --algorithm all", " --policy mpich"})
    for (const auto& [rest, said] : std::vector<std::pair<std::string, std::string>>{
             {"--root 99999999999", "root '99999999999' is not a whole number from 0 to 7"},
             {"--root 99999999999999999999", "root '99999999999999999999' is not a whole number from 0 to 7"},
             {"--root -1", "root '-1' is not a whole number from 0 to 7"},
             {"--root one", "root 'one' is not a whole number from 0 to 7"},
             {"--radix 1", "radix '1' is not a whole number from 2 to 2147483647"},
             {"--radix 2.5", "radix '2.5' is not a whole number from 2 to 2147483647"},
             {"--channels 0", "number of channels '0' is not a whole number from 1 to 2147483647"},
             {"--channels 2000", "channels must be from 1 to 1024, got 2000"},
             {"--ranks-per-node 0",
              "number of ranks per node '0' is not a whole number from 1 to 2147483647"},
             {"--buffer x", "buffer 'x' is not understood; sizes are like 1024, 64KiB, 1.5MiB, 100MB"},
             {"--counts 1,2", "broadcast takes no counts; its blocks are equal"}}) {
      if (!tried()) continue;
      const Outcome o =
          collcast("predict broadcast --platform flat --ranks 8 --size 1KiB " + rest + algorithm);
      EXPECT_EQ(o.code, 2) << rest << algorithm;
      EXPECT_EQ(o.err, "collcast: " + said + "\n") << rest << algorithm;
    }
}

TEST(Cli, BadSegmentsAreRepeatedWithWhatIsAccepted) {
  for (const auto& [rest, said] : std::vector<std::pair<std::string, std::string>>{
           {"predict --platform flat --size 1KiB --segment 0", "segment must be 1 byte or more, got 0"},
           {"predict --platform flat --size 1KiB --segment 2KiB",
            "segment 2KiB is larger than the message of 1024 bytes"},
           {"predict --platform flat --size 0 --segment 1",
            "segment 1 is larger than the message of 0 bytes"},
           {"predict --platform flat --size 1KiB --segment best",
            "segment 'best' is not understood; sizes are like 1024, 64KiB, 1.5MiB, 100MB"},
           {"prove --segment auto",
            "--segment auto is the fastest on a platform, which this verb has not; give a size, or ask "
            "predict"},
           {"export --format goal --segment auto",
            "--segment auto is the fastest on a platform, which this verb has not; give a size, or ask "
            "predict"}}) {
    const Outcome o = collcast(rest + " broadcast --algorithm chain --ranks 4");
    EXPECT_EQ(o.code, 2) << rest;
    EXPECT_EQ(o.err, "collcast: " + said + "\n") << rest;
  }
}

TEST(Cli, SegmentAutoSaysWhatItPicked) {
  const std::string call =
      "predict broadcast --algorithm chain --platform edr-cluster --ranks 8 --size 64MiB";
  const Json picked = json(call + " --segment auto")["predictions"][0];
  EXPECT_GT(picked["parameters"]["segments"], 1);
  const std::string segment = dump(picked["parameters"]["segment"]);
  EXPECT_EQ(json(call + " --segment " + segment)["predictions"][0]["time_s"], picked["time_s"]);
  for (const char* other : {"64KiB", "16MiB"})
    EXPECT_GT(json(call + " --segment " + other)["predictions"][0]["time_s"], picked["time_s"]) << other;
  EXPECT_NE(collcast(call).out.find("chain K="), std::string::npos);
}

TEST(Cli, NamesTheNearestKey) {
  const Outcome o =
      collcast("predict allreduce --platform flat --ranks 4 --size 1KiB --set network.bandwith_GBps=25");
  EXPECT_NE(o.err.find("network.bandwidth_GBps"), std::string::npos) << o.err;
}

TEST(Cli, SaysWhatChangesNothing) {
  const auto notes = [](const std::string& arguments) { return collcast(arguments).err; };
  EXPECT_EQ(
      notes("predict allreduce --algorithm ring --platform flat --ranks 4 --size 1KiB --segment 64 --root 1"),
      "note: allreduce has no --root, which changes nothing\n"
      "note: allreduce ring does not take --segment, which changes nothing\n");
  EXPECT_EQ(
      notes("predict alltoall --algorithm all --platform flat --ranks 4 --size 1KiB --buffer 9000 --radix 4"),
      "note: no algorithm of alltoall takes --buffer, which changes nothing\n");
  EXPECT_EQ(notes("prove broadcast --algorithm knomial --ranks 4 --radix 4 --root 1 --channels 2"),
            "note: broadcast knomial does not take --channels, which changes nothing\n");
  EXPECT_NE(collcast("synthesize allgather --platform dgx-a100 --ranks 4 --size 1MiB --root 3")
                .err.find("note: allgather has no --root, which changes nothing\n"),
            std::string::npos);
  EXPECT_NE(notes("predict allreduce --platform flat --ranks 4 --size 1 --policy mpich --channels 2")
                .find("note: mpich does not take --channels, which changes nothing\n"),
            std::string::npos);
}

/// Six trees from each of 16 roots are 96 channels, which the loader refuses; two are 32. One from each of 33
/// is too many. A ring of 136 ranks has 270 steps.
TEST(Cli, SynthesizeWritesWhatMscclsLoaderTakes) {
  const collcast::Folder folder;
  const std::string asked = "synthesize allgather --platform dgx-a100 --ranks 16 -o " + folder / "f.xml";
  const std::string err = collcast(asked).err;
  EXPECT_EQ(err.find("note: MSCCL's loader takes up to 32 channels and 256 steps of a thread block; at 1 GiB "
                     "the fastest file that it takes has grown-2: "),
            0u)
      << err;
  EXPECT_NE(err.find("; a .json holds grown-6: "), std::string::npos) << err;
  EXPECT_EQ(collcast(asked + " --trees 1").err, "");
  EXPECT_NE(collcast("synthesize allgather --platform flat --ranks 33 --trees 1 -o " + folder / "g.xml")
                .err.find("it refuses this file, which has 33 and "),
            std::string::npos);
  const std::string exported = " --format msccl -o " + folder / "e.xml",
                    ring = "export allreduce --algorithm ring";
  EXPECT_EQ(collcast(ring + " --ranks 128" + exported).err, "");
  EXPECT_EQ(collcast(ring + " --ranks 136" + exported).err.find("note: MSCCL's loader takes up to 32"), 0u);
}

TEST(Cli, HelpShowsAnExampleOfEveryVerb) {
  for (const std::string verb : {"algorithms", "platforms", "prove", "predict", "export", "replay", "compare",
                                 "record", "calibrate", "validate"}) {
    if (verb == "record" && !has_recorder) continue;
    const Outcome o = collcast(verb + " --help");
    EXPECT_EQ(o.code, 0);
    EXPECT_NE(o.out.find("Example: collcast " + verb), std::string::npos) << o.out;
  }
}

TEST(Cli, AlgorithmsListTheContract) {
  const Json rows = json("algorithms");
  ASSERT_GE(rows.size(), 10u);
  for (const Json& row : rows)
    for (const char* key :
         {"collective", "algorithm", "description", "ranks", "parameters", "formula", "exact", "source"})
      EXPECT_TRUE(row.contains(key)) << key;
}

TEST(Cli, AlgorithmsOfOneCollective) {
  const Json rows = json("algorithms allreduce");
  EXPECT_GE(rows.size(), 16u);
  for (const Json& row : rows) EXPECT_EQ(row["collective"], "allreduce");
  EXPECT_EQ(rows, json("algorithms --collective allreduce"));
  EXPECT_EQ(rows, json("algorithms all_reduce"));
  EXPECT_NE(collcast("algorithms allreduce").out.find("q = ranks per node"), std::string::npos);
}

TEST(Cli, PlatformsListTheContract) {
  const Json rows = json("platforms");
  for (const std::string name : {"flat", "summit", "edr-cluster", "localhost"})
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const Json& r) { return r["platform"] == name; }))
        << name;
}

TEST(Cli, OnePlatformIsListedWithItsPedigree) {
  const std::string table = collcast("platforms summit").out;
  EXPECT_NE(table.find("one brick, one direction: OLCF Summit user guide"), std::string::npos);
  EXPECT_NE(table.find("[moves no message]"), std::string::npos);
  std::size_t used = 0;
  const Json parameters = json("platforms summit")["parameters"];
  for (const Json& p : parameters) used += p["used"].get<bool>();
  EXPECT_GT(used, 0u);
  EXPECT_LT(used, parameters.size());
}

TEST(Cli, RingsAreListedInEveryFormat) {
  const Json of_nccl = json("platforms dgx-1v --rings");  // whose library is nccl-2.8
  EXPECT_EQ(of_nccl[0]["shape"], "ring");
  EXPECT_NEAR(of_nccl[0]["bandwidth_GBps"].get<double>(), 21, 1e-9);
  EXPECT_EQ(
      collcast("platforms dgx-1v --rings --format csv").out.find("ranks_on,shape,bandwidth_GBps,order\n"),
      0u);
  const Json of_rccl = json("platforms azure-mi300x --rings");
  EXPECT_EQ(
      std::ranges::count_if(
          of_rccl, [](const Json& c) { return c["ranks_on"] == "several nodes" && c["shape"] == "ring"; }),
      64);
}

TEST(Cli, PicturesShowTheNetwork) {
  const std::string file = collcast::scratch("network.dot");
  const auto drawn = [&](const std::string& settings) {
    EXPECT_EQ(collcast("platforms edr-cluster --graph " + file + settings).code, 0);
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_NE(drawn("").find("level0 -- level1"), std::string::npos);
  EXPECT_NE(
      drawn(" --set network.kind=torus --set network.dimensions=9,9,8").find("torus of 9 x 9 x 8 switches"),
      std::string::npos);
  EXPECT_NE(drawn(" --set network.kind=dragonfly --set network.groups=41 --set network.switches_per_group=16")
                .find("41 groups of 16 switches"),
            std::string::npos);
  EXPECT_NE(collcast("platforms edr-cluster").out.find("\n  levels "), std::string::npos);
  EXPECT_NE(collcast("platforms flat").out.find("in network reduction in the network"), std::string::npos);
  EXPECT_EQ(collcast("platforms edr-cluster --set network.kind=torus --set network.dimensions=9,9,8")
                .out.find("\n  levels "),
            std::string::npos);
}

TEST(Cli, DocumentedTorusIsSlowerThanTheTree) {
  const auto time = [](const std::string& settings) {
    return json(
               "predict alltoall --platform edr-cluster --ranks 216 --size 1MiB --algorithm pairwise "
               "--engine path" +
               settings)["predictions"][0]["time_s"]
        .get<double>();
  };
  EXPECT_GT(time(" --set network.kind=torus --set network.dimensions=6,6,6 --set max_nodes=216"), time(""));
}

TEST(Cli, PlacementDecidesWhichLinksAreUsed) {
  const std::string file = collcast::scratch("placement.txt");
  std::ofstream(file) << "rank 0=node0 slot=0\nrank 1=node1 slot=0\n";
  const auto time = [](const std::string& placement) {
    return json("predict broadcast --algorithm flat --platform summit --ranks 2 --size 1MiB --placement " +
                placement)["predictions"][0]["time_s"]
        .get<double>();
  };
  EXPECT_LT(time("block"), time("by-socket"));  // NVLink against X-bus
  EXPECT_LT(time("by-socket"), time(file));
}

TEST(Cli, ProveCountsTheRingsTraffic) {
  // 8 ranks: 14 steps of 8 messages, each an eighth of 1 MiB; a rank sends 14 of them.
  const Json a = json("prove allreduce --algorithm ring --ranks 8 --size 1MiB");
  EXPECT_EQ(a["holds"], true);
  EXPECT_EQ(a["messages"], 112);
  EXPECT_EQ(a["bytes_on_wire"], 14 << 20);
  EXPECT_EQ(a["max_bytes_per_rank_sent"], 14 << 17);
}

TEST(Cli, CountsMayDifferAndBeZero) {
  // Rank 0 is the root: only ranks 1 and 2 send.
  const Json a = json("prove gatherv --algorithm linear --ranks 3 --counts 5000,0,3KiB");
  EXPECT_EQ(a["message_bytes"], 5000 + 3072);
  EXPECT_EQ(a["bytes_on_wire"], 3072);
  EXPECT_EQ(a["max_bytes_per_rank_sent"], 3072);
  const Json p = json("predict gatherv --platform flat --ranks 3 --counts 0,0,1MiB --algorithm linear");
  EXPECT_EQ(p["predictions"][0]["message_bytes"], 1 << 20);
}

TEST(Cli, EnginesAgreeOnTheTextbooksMachine) {
  for (const std::string rest :
       {"allreduce --algorithm ring", "broadcast --algorithm knomial --radix 4 --root 3",
        "broadcast --algorithm chain --segment 64KiB", "alltoall --algorithm pairwise"}) {
    const std::string call = "predict " + rest + " --platform flat --ranks 12 --size 1MiB --engine ";
    const double formula = json(call + "formula")["predictions"][0]["time_s"];
    EXPECT_NEAR(json(call + "path")["predictions"][0]["time_s"], formula, 1e-9 * formula) << rest;
    if (!has_simgrid) continue;
    EXPECT_NEAR(json(call + "simgrid")["predictions"][0]["time_s"], formula, 1e-6 * formula) << rest;
  }
}

TEST(Cli, PredictionCarriesTheContract) {
  const Json a = json("predict allreduce --platform summit --ranks 6,12 --size 0,1MB --algorithm all");
  EXPECT_EQ(a["platform"], "summit");
  EXPECT_EQ(a["engine"], "auto");
  for (const Json& p : a["predictions"]) {
    EXPECT_LE(p["low_s"], p["time_s"]);
    EXPECT_GE(p["high_s"], p["time_s"]);
    EXPECT_TRUE(p["root"].is_null());
    for (const char* key : {"collective", "algorithm", "parameters", "ranks", "message_bytes",
                            "lower_bound_s", "algbw_GBps", "busbw_GBps", "limited_by", "calibrated"})
      EXPECT_TRUE(p.contains(key)) << key;
  }
}

TEST(Cli, APolicySaysWhatItPickedAndWhy) {
  const std::string call = "predict allreduce --platform edr-cluster --ranks 8 --size 1KiB,1MiB --policy ";
  const Json a = json(call + "mpich");
  EXPECT_EQ(a["predictions"][0]["algorithm"], "recursive-doubling");
  EXPECT_EQ(a["predictions"][1]["algorithm"], "rabenseifner");
  EXPECT_EQ(a["notes"].size(), 2u);
  EXPECT_EQ(collcast(call + "nccl-1.0").code, 2);
}

TEST(Cli, OffloadSaysHowMuchIsHidden) {
  const std::string call =
      "predict alltoall --platform bluefield-2-cluster --ranks 64 --size 64KiB --algorithm pairwise ";
  const auto first = [&](const std::string& options) { return json(call + options)["predictions"][0]; };
  const Json as_long = first("--offload dpu");
  EXPECT_EQ(as_long["offload"], "dpu");
  EXPECT_EQ(as_long["workers"], 8);
  EXPECT_EQ(as_long["compute_s"], as_long["time_s"]);
  EXPECT_GT(as_long["overlap_percent"], 99);
  const Json half = first("--offload dpu --workers 4 --compute 1e-5");
  EXPECT_EQ(half["workers"], 4);
  EXPECT_EQ(half["compute_s"], 1e-5);
  EXPECT_EQ(half["total_s"], half["time_s"]);  // hides all of the computation
  EXPECT_GE(half["time_s"], as_long["time_s"]);
  const Json own = first("--offload none");
  EXPECT_LT(own["overlap_percent"], 20);
  EXPECT_EQ(own["time_s"], first("--engine path")["time_s"]);
}

TEST(Cli, OneRankAndNoBytesAreLegal) {
  const Json a = json("predict allreduce --platform flat --ranks 1 --size 0,1MiB --algorithm ring");
  for (const Json& p : a["predictions"]) EXPECT_EQ(p["time_s"], 0);
}

TEST(Export, TakesTheSizeFromCounts) {
  const Outcome o = collcast("export gatherv --algorithm linear --ranks 3 --format goal --counts 5,6,7");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("send 6b to 0"), std::string::npos) << o.out;
}

TEST(Cli, SetMovesTheAnswer) {
  const std::string call = "predict allreduce --platform edr-cluster --ranks 8 --size 64MiB --algorithm ring";
  const double before = json(call)["predictions"][0]["time_s"];
  const double after = json(call + " --set network.bandwidth_GBps=1")["predictions"][0]["time_s"];
  EXPECT_GT(after, 2 * before);
}

/// The file of an exported ring, possibly with one mistake.
class ExportedRing : public ::testing::Test {
 protected:
  const std::string path = collcast::scratch("ring.xml");
  void SetUp() override {
    const Outcome o = collcast("export allreduce --algorithm ring --ranks 4 --format msccl --output " + path);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(o.out.empty()) << o.out;
  }
  void replace(const std::string& from, const std::string& to) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::string all = text.str();
    const auto at = all.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(path) << all.replace(at, from.size(), to);
  }
};

TEST_F(ExportedRing, ComesBackAsItWas) {
  const Json original = json("prove allreduce --algorithm ring --ranks 4 --size 1MiB");
  EXPECT_EQ(json("prove --import " + path + " --size 1MiB"), original);
  EXPECT_EQ(json("prove allreduce --ranks 4 --import " + path + " --size 1MiB"), original);
  const std::string where = " --platform flat --size 1MiB --engine path";
  const auto predicted = [](const std::string& what) {
    Json answer = json("predict " + what);
    answer["predictions"][0].erase("limited_by");  // which of the ranks' equal ports
    return answer;
  };
  EXPECT_EQ(predicted("--import " + path + where), predicted("allreduce --algorithm ring --ranks 4" + where));
  EXPECT_EQ(collcast("export --format goal --import " + path).out.substr(0, 12), "num_ranks 4\n");
}

/// Whatever it is called: NCCL's channels do not take its place.
TEST_F(ExportedRing, IsPlayedAsItIsUnderAPolicy) {
  const std::string where = " --platform summit --size 64MiB --policy nccl-2.18";
  const Json as_ring = json("predict --import " + path + where)["predictions"][0];
  replace("name=\"ring\"", "name=\"mine\"");
  const Json as_mine = json("predict --import " + path + where)["predictions"][0];
  EXPECT_EQ(as_ring["algorithm"], "ring");
  EXPECT_EQ(as_ring["time_s"], as_mine["time_s"]);
}

TEST_F(ExportedRing, RefusesOtherWishesThanTheFiles) {
  for (const std::string rest : {" allgather", " --ranks 8", " --root 1"})
    EXPECT_EQ(collcast("prove --import " + path + rest).code, 2) << rest;
  EXPECT_EQ(collcast("predict --platform flat --size 1KiB --engine formula --import " + path).code, 2);
}

TEST_F(ExportedRing, IsRefusedWithACounterexampleOnceItIsWrong) {
  replace("rrc", "r");
  const Outcome o = collcast("prove --import " + path + " --format json");
  EXPECT_EQ(o.code, 1) << o.err;
  EXPECT_TRUE(Json::parse(o.out)["counterexample"].contains("rank")) << o.out;
  for (const std::string verb : {"predict --platform flat --size 1KiB", "export --format goal"}) {
    const Outcome refused = collcast(verb + " --import " + path);
    EXPECT_EQ(refused.code, 1) << verb;
    EXPECT_TRUE(refused.out.empty()) << refused.out;
    EXPECT_NE(refused.err.find("allreduce ring on 4 ranks does not hold"), std::string::npos) << refused.err;
  }
}

TEST_F(ExportedRing, SaysTheLineOfAMistake) {
  replace("type=\"rrc\"", "type=\"xyz\"");
  const Outcome o = collcast("prove --import " + path);
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find(path + ":"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("unknown type \"xyz\""), std::string::npos) << o.err;
}

TEST(Cli, CsvHasOneLinePerPrediction) {
  const Outcome o = collcast(
      "predict allreduce --platform flat --ranks 2,4 --size 1KiB,1MiB --algorithm ring --format csv");
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 5) << o.out;
  EXPECT_EQ(o.out.substr(0, 21), "collective,algorithm,");
}

TEST(Cli, ReplayAddsUpAndReactsToThePlatform) {
  const Json a = json("replay " + trace + " --platform edr-cluster");
  EXPECT_EQ(a["ranks"], 8);
  EXPECT_NEAR(a["compute_s"].get<double>() + a["exposed_communication_s"].get<double>(),
              a["time_s"].get<double>(), 1e-9);
  EXPECT_FALSE(a["operations"].empty());
  const Json slower = json("replay " + trace + " --platform edr-cluster --set network.bandwidth_GBps=0.1");
  EXPECT_GT(slower["time_s"], a["time_s"]);
  const Json forced = json("replay " + trace + " --platform edr-cluster --algorithm broadcast=chain");
  EXPECT_NE(forced["time_s"], a["time_s"]);
}

TEST(Cli, ReplayDoesNotKnowWhatWasNotRecorded) {
  const collcast::Folder folder;
  const std::string ti = samples::write(folder / "t", samples::time_independent);
  EXPECT_TRUE(json("replay " + ti + " --platform flat")["recorded_time_s"].is_null());
  const Outcome o = collcast("replay " + ti + " --platform flat");
  EXPECT_THAT(o.out, ::testing::ContainsRegex("as recorded +-"));
}

TEST(Cli, NothingIsWrittenOverWhatItIsMadeOf) {
  const collcast::Folder folder;
  const std::string platform = folder / "mine.json", algorithm = folder / "a.xml", cluster = folder / "c.xml";
  ASSERT_EQ(collcast("platforms summit --export " + platform).code, 0);
  ASSERT_EQ(collcast("platforms summit --export " + cluster).code, 0);
  ASSERT_EQ(collcast("export allreduce --algorithm ring --ranks 3 --format msccl -o " + algorithm).code, 0);
  for (const auto& [words, file, option, what] :
       {std::tuple("synthesize allgather --ranks 3 --platform ", platform, " -o ", "the platform"),
        {"tune --for openmpi --ranks 3 --size 8 --platform ", platform, " -o ", "the platform"},
        {"export --format goal --import ", algorithm, " -o ", "the algorithm"},
        {"platforms --import ", cluster, " -o ", "the topology"},
        {"platforms ", platform, " --export ", "the platform"}}) {
    const auto read = [&path = file] {
      std::ifstream in(path);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const std::string before = read();
    const Outcome o = collcast(words + file + option + file);
    EXPECT_EQ(o.code, 2) << words;
    EXPECT_EQ(o.err, "collcast: '" + file + "' is " + what + " itself; choose another name\n");
    EXPECT_EQ(read(), before) << words;
  }
}

TEST(Cli, APlatformIsDrawnOrExported) {
  const collcast::Folder folder;
  const std::string picture = folder / "a.dot";
  EXPECT_EQ(collcast("platforms summit --graph " + picture + " --export " + folder / "b.txt").code, 2);
  EXPECT_FALSE(std::filesystem::exists(picture));
  EXPECT_EQ(collcast("platforms summit --schema").code, 2);
}

TEST(Cli, ConvertWritesOverNoTraceOfItsOwn) {
  const collcast::Folder folder;
  const std::string ti = samples::write(folder / "t", samples::time_independent), k = folder / "k";
  ASSERT_EQ(collcast("convert " + ti + " --to chakra -o " + k).code, 0);
  const std::string link = folder / "link";
  ASSERT_EQ(symlink(ti.c_str(), link.c_str()), 0);
  for (const std::string& arguments :
       {ti + " --to ti -o " + ti,
        ti + " --to cct -o " + folder / "../" + folder.path().substr(folder.path().rfind('/') + 1) + "/t",
        ti + " --to goal -o " + link, k + ".0.et " + k + ".1.et --to chakra -o " + k}) {
    const Outcome o = collcast("convert " + arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_NE(o.err.find("is the trace itself; choose another name\n"), std::string::npos) << o.err;
  }
  std::ifstream kept(ti);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), samples::time_independent);
}

TEST(Cli, ConvertFillsInRanksAsReplayDoes) {
  const collcast::Folder folder;
  const std::string one = samples::write(folder / "one.json", samples::kineto(0)), cct = folder / "k.cct";
  const Json before = json("replay " + one + " --platform dgx-a100"),
             said = json("convert " + one + " --to cct -o " + cct);
  EXPECT_NE(dump(said["notes"]).find("2 ranks, of which each is taken to be like"), std::string::npos)
      << dump(said);
  const Json after = json("replay " + cct + " --platform dgx-a100");
  EXPECT_EQ(after["ranks"], 2);
  EXPECT_EQ(after["policy"], before["policy"]);
  const Outcome csv = collcast("convert " + one + " --to ti -o " + folder / "k.ti" + " --format csv");
  EXPECT_EQ(csv.out.rfind("operation,count,reason,time_s,share\n", 0), 0u) << csv.out;
}

TEST(Cli, ReplayRunsTwiceTheSame) {
  const std::string call = "replay " + trace + " --platform summit --format json";
  EXPECT_EQ(collcast(call).out, collcast(call).out);
}

TEST(Cli, CompareHasARowPerPlatform) {
  const Json a =
      json("compare " + trace + " --on flat --on edr-cluster,network.bandwidth_GBps=1 --engine path");
  ASSERT_EQ(a["runs"].size(), 2u);
  EXPECT_GT(a["runs"][1]["time_s"], 0);
}

/// A table of two allreduces on 8 ranks, in a file of its own.
std::string measured_table() {
  const std::string file = collcast::scratch("measured.jsonl");
  std::ofstream(file) << R"({"collective": "allreduce", "ranks": 8, "message_bytes": 1048576, "time_s": 2e-4}
{"collective": "allreduce", "ranks": 8, "message_bytes": 4194304, "time_s": 9e-4}
)";
  return file;
}

TEST(Cli, ValidateTakesAnOptionWhereItMeansSomething) {
  for (const auto& [words, said] :
       {std::pair{"--platform flat --measurements t --algorithm ring",
                  "--algorithm needs --run or --script; a library that was told to play rings is --policy "
                  "nccl-2.18:algo=Ring"},
        {"--platform flat --run --policy mpich", "--policy needs --measurements"},
        {"--report f --platform flat", "--platform needs --run, --script or --measurements"},
        {"--studies s --bound 0.1", "--bound needs --measurements"},
        {"--report f -- mpirun", "command needs --run or --script"},
        {"--run", "--run takes a --platform"}}) {
    const Outcome o = collcast(std::string("validate ") + words);
    EXPECT_EQ(o.code, 2) << words;
    EXPECT_EQ(o.err, std::string("collcast: ") + said + "\n");
  }
}

TEST(Cli, ValidateComparesTablesPointByPoint) {
  const std::string file = measured_table();
  const std::string arguments = "validate --platform abci-v --policy nccl-2.8 --measurements " + file;
  const Json answer = json(arguments);
  ASSERT_EQ(answer["points"].size(), 2u);
  for (const Json& p : answer["points"]) {
    const double measured = p["measured_s"], predicted = p["predicted_s"];
    EXPECT_NEAR(p["error"].get<double>(), (predicted - measured) / measured, 1e-12);
    EXPECT_EQ(p["ranks"], 8);
    EXPECT_NE(p["source"].get<std::string>().find(".jsonl:"), std::string::npos);
  }
  for (const char* key : {"mean_absolute_error", "geometric_mean_error", "worst"})
    EXPECT_TRUE(answer[key].is_number()) << key;
  EXPECT_EQ(collcast(arguments + " --bound 100").code, 0);
  const Outcome beyond = collcast(arguments + " --bound 0.0001");
  EXPECT_EQ(beyond.code, 1);
  EXPECT_NE(beyond.err.find("note: the mean factor over all points is "), std::string::npos) << beyond.err;
  EXPECT_NE(beyond.err.find(" %, above the 0.0100 % of --bound\n"), std::string::npos) << beyond.err;
  EXPECT_EQ(collcast(arguments + " --bound 0").code, 1);
  EXPECT_EQ(collcast(arguments + " --run").code, 2);
  EXPECT_EQ(collcast(arguments + " --plot " + file + ".pdf").code, 2);
  if (std::system("gnuplot --version > /dev/null 2>&1") == 0) {
    const std::string picture = file + ".svg";
    EXPECT_EQ(collcast(arguments + " --plot " + picture).code, 0);
    std::ifstream in(picture);
    const std::string svg{std::istreambuf_iterator<char>(in), {}};
    for (const char* words : {"allreduce, 8 ranks: predicted over measured", ">1 MiB<", ">4 MiB<"})
      EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(collcast("validate --measurements " + file).code, 2);
}

TEST(Cli, CalibrateRefusesBeforeItMeasures) {
  const std::string run = " --run -o " + ::testing::TempDir() + "never.json -- no-such-launcher";
  const Outcome uniform = collcast("calibrate --base flat" + run);
  EXPECT_EQ(uniform.code, 2);
  EXPECT_TRUE(uniform.err.starts_with("collcast: flat: cannot be calibrated: a uniform network"))
      << uniform.err;
  const Outcome nccl = collcast("calibrate --base abci-v --policy nccl-2.8" + run);
  EXPECT_EQ(nccl.code, 2);
  EXPECT_EQ(nccl.err,
            "collcast: --policy takes tables of nccl-tests, which --run does not measure; leave one of them "
            "out\n");
}

/// 6 nodes read 24 x 32 images of 588 KiB at 0.1 GB/s: 4.62 s, more than a step takes.
TEST(Cli, TrainWaitsForItsInputAndItsSlowestRank) {
  const std::string command =
      "train --model resnet50 --platform abci-v --ranks 24 --noise 0.03 --input packed:shared=0.1";
  const Json row = json(command)["rows"][0];
  EXPECT_EQ(row["bubble_s"], 0.0);
  EXPECT_NEAR(row["step_s"].get<double>(), 24 * 32 * 602'112 / 0.1e9, 1e-9);
  EXPECT_EQ(row["limited_by"], "input: shared file system");
  EXPECT_EQ(row["bottlenecks"]["input: shared file system"], 1.0);
  double sum = 0;
  for (const char* part : {"compute_s", "exposed_communication_s", "waiting_s", "io_s"}) {
    EXPECT_GT(row[part].get<double>(), 0) << part;
    sum += row[part].get<double>();
  }
  EXPECT_NEAR(sum, row["step_s"].get<double>(), 1e-9);
  const std::string table = collcast(command).out;
  for (const char* column : {"waiting", "input"}) EXPECT_LT(table.find(column), table.find("limited by"));
  for (const char* wrong : {" --noise x", " --input tape", " --input packed:shared=-1"})
    EXPECT_EQ(collcast("train --model resnet50 --platform abci-v --ranks 24" + std::string(wrong)).code, 2)
        << wrong;
}

/// In lists, sweeps and comparisons, too: rows say which, a note where, and the exit code is 1.
TEST(Cli, TrainSaysWhatDoesNotFit) {
  const std::string model = " --model gpt3-1.3b --ranks 4,8";
  const auto fits = [](const Json& answer, const char* rows = "rows") {
    std::vector<Json> all;
    for (const Json& row : answer[rows]) all.push_back(row["fits"]);
    return all;
  };
  const Outcome one =
      collcast("train --platform summit --framework megatron:tp=4 --batch 1" + model + " --format json");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(fits(parse_json(one.out)), (std::vector<Json>{true, true}));
  const Outcome several = collcast("train --platform summit" + model + " --format json");
  EXPECT_EQ(several.code, 1);
  EXPECT_EQ(fits(parse_json(several.out)), (std::vector<Json>{false, false}));
  EXPECT_NE(several.err.find("gpt3-1.3b on 4 ranks does not fit: a rank needs"), std::string::npos)
      << several.err;
  const Outcome list = collcast("train --platform summit,flat --throughput 1" + model + " --format json");
  EXPECT_EQ(list.code, 1);
  EXPECT_EQ(fits(parse_json(list.out)), (std::vector<Json>{false, false, nullptr, nullptr}));
  EXPECT_EQ(parse_json(list.out)["notes"].back(),
            "steps do not fit into their devices' memory: summit, 4, 8 ranks: 742 GiB of 16.0 GiB");
  const Outcome table = collcast("train --platform summit,dgx-h200" + model);
  EXPECT_NE(table.out.find("fits"), std::string::npos) << table.out;
  const Outcome compared =
      collcast("compare --model gpt3-1.3b --ranks 8 --batch 4 --on summit --on dgx-h200 --format json");
  EXPECT_EQ(compared.code, 1);
  EXPECT_EQ(fits(parse_json(compared.out), "runs"), (std::vector<Json>{false, true}));
}

/// The memory of each row where rows differ, in lists of cases too; what does not fit is named by its
/// settings.
TEST(Cli, TrainTellsTheMemoryOfEachRow) {
  const std::string step = "train --model llama3-8b --platform dgx-h100 --precision amp --batch 1 ";
  const Outcome ranks = collcast(step + "--framework fsdp --ranks 8,64");
  EXPECT_EQ(ranks.code, 0) << ranks.err;
  EXPECT_EQ(ranks.out.find("Memory of a rank"), std::string::npos) << ranks.out;
  EXPECT_NE(ranks.out.find("62.2 GiB of 80.0 GiB"), std::string::npos) << ranks.out;
  EXPECT_NE(collcast(step + "--framework fsdp --ranks 8").out.find("Memory of a rank: 62.2 GiB of 80.0 GiB"),
            std::string::npos);
  const Outcome cases = collcast(step + "--framework zero1,fsdp --ranks 8");
  EXPECT_EQ(cases.code, 1);
  EXPECT_NE(cases.out.find("62.2 GiB of 80.0 GiB"), std::string::npos) << cases.out;
  const Outcome compared = collcast(
      "compare --model llama3-8b --precision amp --batch 1 --framework fsdp --ranks 8 --on dgx-h100");
  EXPECT_NE(compared.out.find("62.2 GiB of 80.0 GiB"), std::string::npos) << compared.out;
  EXPECT_NE(cases.err.find("do not fit into their devices' memory: zero1, 8 ranks: 86.9 GiB of 80.0 GiB\n"),
            std::string::npos)
      << cases.err;
}

TEST(Cli, TrainTakesAGlobalBatch) {
  const std::string step = "train --model resnet50 --platform summit --ranks 6,12 ";
  const Json answer = json(step + "--global-batch 96");
  EXPECT_EQ(answer["global_batch"], 96);
  EXPECT_EQ(answer["rows"][0]["batch"], 16);
  EXPECT_EQ(answer["rows"][1]["batch"], 8);
  EXPECT_EQ(answer["rows"][1]["step_s"], json(step + "--batch 8")["rows"][1]["step_s"]);
  EXPECT_EQ(json(step + "--batch 8")["rows"][1]["global_batch"], 96);
  const Outcome table = collcast(step + "--batch 8");
  EXPECT_NE(table.out.find("global batch"), std::string::npos) << table.out;
  const Outcome odd = collcast(step + "--global-batch 100");
  EXPECT_EQ(odd.code, 2);
  EXPECT_EQ(odd.err, "collcast: training: a global batch of 100 does not divide into 6 replicas\n");
  EXPECT_EQ(collcast(step + "--global-batch 96 --batch 8").code, 2);
  // One measured rate, at 16 and at 8 samples of a replica.
  const std::string note =
      "the throughput of one processor, 300 samples/s, is taken to be the same for every ";
  EXPECT_NE(collcast(step + "--throughput 300 --global-batch 96").err.find(note + "batch"),
            std::string::npos);
  EXPECT_EQ(collcast(step + "--throughput 300 --batch 8").err.find(note), std::string::npos);
}

/// In lists, comparisons and plans each row is that of the single answer with the same batch of a replica.
TEST(Cli, AGlobalBatchGoesWithLists) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const std::string step = "train --model resnet50 --platform summit ";
  const Json rows = json(step + "--ranks 6,12 --framework ddp --global-batch 96,192")["rows"];
  ASSERT_EQ(rows.size(), 4u);
  for (const Json& row : rows) {
    const Json whole = row["global_batch"], ranks = row["ranks"];
    EXPECT_EQ(row["batch"].get<int>() * ranks.get<int>(), whole.get<int>());
    const Json alone =
        json(step + "--framework ddp --ranks " + ranks.dump() + " --batch " + row["batch"].dump())["rows"][0];
    for (const char* key : {"step_s", "efficiency", "memory_B"}) EXPECT_EQ(row[key], alone[key]) << key;
  }
  const Outcome table = collcast(step + "--ranks 6,12 --framework ddp,horovod --global-batch 96");
  EXPECT_NE(table.out.find("batch"), std::string::npos) << table.out;
  const Json compared = json("compare --model resnet50 --on summit --ranks 12 --global-batch 96");
  EXPECT_EQ(compared["runs"][0]["step_s"], json(step + "--ranks 12 --batch 8")["rows"][0]["step_s"]);
  EXPECT_EQ(collcast("compare allreduce --size 1KiB --on summit --ranks 12 --global-batch 96").code, 2);
  const std::string plan = "plan --model resnet50 --samples 960 --platform summit --ranks 12 ";
  const Json planned = json(plan + "--global-batch 96:192:x2")["candidates"];
  ASSERT_EQ(planned.size(), 2u);
  for (const Json& c : planned) {
    const std::string batch = c["global_batch"] == "96" ? "8" : "16";
    EXPECT_EQ(c["time_s"], json(plan + "--batch " + batch)["candidates"][0]["time_s"]);
  }
  EXPECT_EQ(collcast(plan + "--global-batch 96 --batch 8").code, 2);
}

/// A range alone is a list, too.
TEST(Cli, TrainTakesARangeOfBatches) {
  const std::string step = "train --model resnet50 --platform summit --ranks 6 ";
  const Json rows = json(step + "--batch 8:32:x2")["rows"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2]["batch"], 32);
  EXPECT_EQ(json(step + "--throughput 100:200:+50")["rows"].size(), 3u);
}

/// What a forecast takes for granted is said of one step, of many, and of plans.
TEST(Cli, LowPrecisionIsACautionOfEveryAnswer) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const std::string step = "--model llama3-8b --framework fsdp --precision fp8 --batch 1 --ranks 8 ";
  for (const char* asked : {"train --platform dgx-h100 ", "train --platform dgx-h100,dgx-h200 ",
                            "compare --on dgx-h100 ", "plan --samples 1e4 --platform dgx-h100 "})
    EXPECT_NE(collcast(asked + step).err.find("no step was held against that"), std::string::npos) << asked;
  const Outcome shared = collcast(
      "train --model resnet50 --platform dgx-a100 --ranks 8 --batch 16 --precision "
      "tf32 --framework ddp:per-gpu=4,ddp");
  EXPECT_NE(shared.err.find("efficiency is above 100 % because processes that share a GPU"),
            std::string::npos)
      << shared.err;
  const std::string note = "is taken to be the same for every platform\n";
  for (const char* asked : {"train ", "plan --samples 1e6 "})
    EXPECT_NE(collcast(std::string(asked) +
                       "--model resnet50 --throughput 300 --platform summit,dgx-h100 --ranks 6")
                  .err.find(note),
              std::string::npos)
        << asked;
}

TEST(Cli, TrainSaysWhatCompressionDoesNot) {
  const std::string step = "train --model llama3-8b --platform dgx-h100 --precision amp --batch 1 --ranks 8 ";
  const std::string note = "gradients are in 16 bits already";
  EXPECT_NE(collcast(step + "--framework fsdp:compression=fp16").err.find(note), std::string::npos);
  for (const char* framework : {"ddp:compression=fp16", "fsdp:compression=fp16,gradients=fp32", "fsdp"})
    EXPECT_EQ(collcast(step + "--framework " + framework).err.find(note), std::string::npos) << framework;
}

TEST(Cli, PredictTimesNcclByItsTransport) {
  const Json answer = json("predict allreduce --platform abci-v --ranks 32 --size 32MiB --policy nccl-2.8");
  const Json& p = answer["predictions"][0];
  EXPECT_EQ(p["algorithm"], "multi-ring");
  EXPECT_EQ(p["parameters"]["protocol"], "LL128");
  EXPECT_LT(p["lower_bound_s"], p["time_s"]);
  EXPECT_LT(p["low_s"], p["time_s"]);
  EXPECT_LT(p["time_s"], p["high_s"]);
}

/// Where it changes no hardware, too.
TEST(Calibrate, CsvHasARowForEachPieceOfAPath) {
  const collcast::Folder folder;
  std::ofstream table(folder / "latency.txt");
  table << "# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n";
  for (int size = 1; size <= 1 << 20; size *= 2) table << size << " " << 1.5 + size / 11000.0 << "\n";
  table.close();
  const Outcome o = collcast("calibrate --from " + (folder / "latency.txt") +
                             ":nodes=2 --base edr-cluster -o " + (folder / "mine.json") + " --format csv");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(o.out.starts_with("path,from_bytes,fixed_s,fixed_deviation_s,gap_s,")) << o.out;
  EXPECT_GE(std::ranges::count(o.out, '\n'), 2) << o.out;
}

}  // namespace
