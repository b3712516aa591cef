// SPDX-License-Identifier: Apache-2.0
// `collcast job`: applications and files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "support/json.hpp"
#include "tests/cli/collcast.hpp"
#include "tests/folder.hpp"
#include "tests/sanitized.hpp"

namespace {

using collcast::Folder, collcast::Json;
using collcast::testing::collcast, collcast::testing::Outcome;
using testing::HasSubstr;

Json of_job(const std::string& arguments) {
  const Outcome o = collcast("job " + arguments + " --format json");
  EXPECT_EQ(o.code, 0) << o.err;
  return collcast::parse_json(o.out);
}

TEST(Job, WithoutOneTheApplicationsAreListed) {
  const Json all = of_job("");
  ASSERT_GE(all.size(), 4u);
  EXPECT_EQ(all[0]["application"], "p3dfft");
  for (const char* key : {"description", "settings", "source"}) EXPECT_FALSE(all[0][key].empty()) << key;
  EXPECT_EQ(of_job("--list"), all);
}

/// What is exposed, of each role, is the time.
TEST(Job, ExplainsWhereTheTimeGoes) {
  const Json played = of_job("p3dfft:n=64 --platform edr-cluster --ranks 4,8 --explain");
  for (const Json& row : played["rows"]) {
    double exposed = 0;
    for (const Json& a : played["activities"])
      if (a["ranks"] == row["ranks"]) exposed += a["exposed_s"].get<double>();
    EXPECT_NEAR(exposed, row["step_s"].get<double>(), 1e-9);
  }
  EXPECT_FALSE(of_job("p3dfft:n=64 --platform edr-cluster --ranks 4").contains("activities"));
  EXPECT_THAT(collcast("job kmeans --platform edr-cluster --ranks 4 --explain").out, HasSubstr("assignment"));
}

/// Every message is played: the same rows, an explanation that adds up to the time; what it cannot is
/// refused.
TEST(Job, IsPlayedMessageByMessage) {
  const std::string job = "p3dfft:n=64 --platform frontera --ranks 4,8";
  const Json priced = of_job(job)["rows"], played = of_job(job + " --engine contention --explain");
  for (std::size_t i = 0; i < priced.size(); ++i) {
    const Json& row = played["rows"][i];
    EXPECT_NEAR(row["compute_s"].get<double>(), priced[i]["compute_s"].get<double>(), 1e-12);
    EXPECT_NEAR(row["step_s"].get<double>() / priced[i]["step_s"].get<double>(), 1, 0.5);
    double sum = 0;
    for (const Json& cause : played["explanation"][i]["causes"]) sum += cause["time_s"].get<double>();
    EXPECT_NEAR(sum, row["step_s"].get<double>(), 1e-9);
  }
  const Outcome offloaded =
      collcast("job p3dfft:n=64,mode=offload --platform bluefield-2-cluster --ranks 4 --engine path");
  EXPECT_EQ(offloaded.code, 2);
  EXPECT_THAT(offloaded.err, HasSubstr("which DPUs play"));
}

double sum_of(const Json& rows, const char* key) {
  double sum = 0;
  for (const Json& row : rows) sum += row[key].get<double>();
  return sum;
}

/// As a table, JSON and CSV; by activity, and along the chain of causes where messages are played.
TEST(Train, ExplainsWhereTheStepGoes) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const std::string step =
      "train --model resnet50 --platform summit --ranks 12 --framework horovod --noise 0.01 --explain";
  const auto said = [](const std::string& words) {
    return collcast::parse_json(collcast(words + " --format json").out);
  };
  const Json priced = said(step);
  const double time = priced["rows"][0]["step_s"];
  EXPECT_NEAR(sum_of(priced["activities"], "exposed_s"), time, 1e-9 * time);
  EXPECT_NEAR(sum_of(priced["activities"], "share"), 1, 1e-9);
  EXPECT_THAT(collcast(step).out, HasSubstr("data allreduce"));
  EXPECT_THAT(collcast(step + " --format csv").out,
              testing::StartsWith("ranks,role,activity,count,total_s,exposed_s,share\n12,rank,forward,1,"));
  const Json played = said(step + " --engine path --policy openmpi-4.0");
  const double again = played["rows"][0]["step_s"];
  EXPECT_EQ(played["engine"], "path");
  EXPECT_NEAR(sum_of(played["explanation"][0]["causes"], "time_s"), again, 1e-9 * again);
  EXPECT_THAT(collcast(step + " --engine path --policy openmpi-4.0 --format csv").out,
              testing::StartsWith("ranks,cause,name,time_s,share,alike\n12,compute,computation,"));
}

/// The layers and the optimizer are a rank's computation, and a measured time of a layer is its time.
TEST(Train, ShowsItsLayers) {
  const std::string step = "train --model resnet50 --platform summit --ranks 6,12 --batch 32 --layers ";
  const Json whole = collcast::parse_json(collcast(step + "--format json").out);
  const Json& layers = whole["layers"];
  const double compute = whole["rows"][1]["compute_s"],
               of_layers = sum_of(layers, "forward_s") + sum_of(layers, "backward_s");
  EXPECT_LT(of_layers, compute);  // by the optimizer
  EXPECT_GT(of_layers, 0.95 * compute);
  EXPECT_NEAR(sum_of(layers, "share"), 1, 1e-9);
  EXPECT_NEAR(sum_of(layers, "parameters"), 25557032, 0.5);
  EXPECT_EQ(layers[0]["layer"], "conv1");
  EXPECT_EQ(layers[0]["limited_by"], "arithmetic");
  EXPECT_EQ(layers[1]["limited_by"], "memory bandwidth");
  const Folder folder;
  std::ofstream(folder / "t.csv") << "layer,forward_ms,backward_ms\nconv1,5,7\n";
  EXPECT_THAT(collcast(step + "--format csv --layer-times " + folder / "t.csv").out,
              testing::StartsWith("layer,kind,stage,forward_s,backward_s,share,limited_by,parameters\n"
                                  "conv1,convolution,0,0.005,0.007,"));
  EXPECT_EQ(collcast(step + "--framework ddp,horovod").code, 2);
}

/// A stage of a pipeline has its own layers.
TEST(Train, ShowsTheStagesOfItsLayers) {
  const Json layers = collcast::parse_json(
      collcast("train --model gpt:layers=4,hidden=1024,heads=4,sequence=1024 --precision amp --platform "
               "dgx-a100 --ranks 2 "
               "--batch 8 --framework megatron:pp=2,micro-batches=4 --layers --format json")
          .out)["layers"];
  EXPECT_EQ(layers.front()["stage"], 0);
  const Json unknown = collcast::parse_json(
      collcast("train --model resnet50 --platform flat --ranks 4 --throughput 300 --layers "
               "--format json")
          .out)["layers"];
  EXPECT_TRUE(unknown[0]["limited_by"].is_null());  // whose peaks?
  EXPECT_EQ(layers.back()["stage"], 1);
}

/// NCCL's collectives are single operations on every engine; others' messages are played.
TEST(Train, IsPlayedMessageByMessage) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const std::string step =
      "train --model resnet50 --platform edr-cluster --ranks 8 --framework horovod --format json";
  const auto row = [&](const std::string& more) {
    return collcast::parse_json(collcast(step + more).out)["rows"][0];
  };
  collcast::testing::EachOrOneIn tried(3);
  for (const std::string policy : {"", " --policy openmpi-4.0"}) {
    const Json priced = row(policy);
    for (const std::string engine : {" --engine path", " --engine contention"}) {
      if (!tried()) continue;
      const Json played = row(policy + engine);
      for (const char* key : {"step_s", "low_s", "high_s", "compute_s", "agreement_s"})
        EXPECT_NEAR(played[key].get<double>() / priced[key].get<double>(), 1, 1e-6)
            << policy << engine << ", " << key;
    }
  }
  const Outcome slowed = collcast(step + " --slowdown 0.2 --engine path");
  EXPECT_EQ(slowed.code, 2);
  EXPECT_EQ(slowed.err,
            "collcast: job resnet50 under horovod: a slowdown cannot be played message by message; without "
            "--engine collectives are single operations\n");
  const Outcome formula = collcast(step + " --engine formula");
  EXPECT_EQ(formula.code, 2);
  EXPECT_EQ(std::ranges::count(formula.err, '\n'), 1) << formula.err;
}

double part(const Json& row, std::initializer_list<const char*> keys) {
  double sum = 0;
  for (const char* key : keys) sum += row[key].get<double>();
  return sum;
}

/// A pipeline's bubbles are no communication, by prices and by messages, whose launches and ways are their
/// own; the parts add up to the step.
TEST(Train, BubblesAreToldApart) {
  const std::string step =
      "train --model gpt:layers=8,hidden=512,heads=8 --platform dgx-a100 --ranks 16 --batch 8 --precision "
      "amp "
      "--framework megatron:tp=2,pp=4,micro-batches=8 --noise 0.01 --format json";
  const auto row = [&](const std::string& more) {
    return collcast::parse_json(collcast(step + more).out)["rows"][0];
  };
  const Json priced = row("");
  for (const Json& r : {priced, row(" --engine path"), row(" --engine contention")}) {
    EXPECT_NEAR(part(r, {"compute_s", "exposed_communication_s", "bubble_s", "waiting_s"}),
                r["step_s"].get<double>(), 1e-12);
    EXPECT_GT(r["bubble_s"], r["communication_s"]);
    EXPECT_LE(r["hidden_communication_s"], r["communication_s"]);
    EXPECT_EQ(r["limited_by"], "computation");
    for (const char* key : {"bubble_s", "communication_s", "exposed_communication_s"})
      EXPECT_NEAR(r[key].get<double>() / priced[key].get<double>(), 1, 0.15) << key;
  }
  const auto says = [&](const std::string& engine) {
    return collcast(step + engine).out.find("messages do not share links with") != std::string::npos;
  };
  EXPECT_TRUE(says(" --engine contention"));  // allreduces of tensors and of data, messages between stages
  EXPECT_FALSE(says(" --engine contention --policy openmpi-4.0"));
  EXPECT_FALSE(says(" --engine path"));
}

/// NCCL's collectives of one rank share its links, whoever plays the job.
TEST(Job, CollectivesAtOnceShareLinksByAnyEngine) {
  const Folder folder;
  const std::string two = folder / "two.json";
  std::ofstream(two) << R"({"dimensions": {"x": "*"}, "streams": ["compute", "a", "b"],
    "roles": [{"name": "rank", "do": [
      {"do": "allreduce", "bytes": 1073741824, "group": "all", "stream": "a"},
      {"do": "allreduce", "bytes": 1073741824, "group": "all", "stream": "b"}]}]})";
  const auto step = [](const std::string& what) { return of_job(what)["rows"][0]["step_s"].get<double>(); };
  const std::string on = " --platform dgx-h100 --ranks 16";
  const double priced = step(two + on);
  EXPECT_NEAR(step(two + on + " --engine contention") / priced, 1, 1e-6);
  EXPECT_NEAR(step(two + on + " --engine path") / priced, 1, 1e-6);
  EXPECT_THAT(collcast("job " + two + on + " --engine path").err, HasSubstr("by its default engine"));
}

/// Jobs and `predict` choose alike, also among what switches reduce.
TEST(Job, TheFastestIsThatOfPredict) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const Folder folder;
  const std::string one = folder / "one.json";
  std::ofstream(one) << R"({"dimensions": {"x": "*"}, "roles": [{"name": "rank",
    "do": [{"do": "allreduce", "bytes": 1048576, "group": "all"}]}]})";
  for (const std::string on : {" --platform dgx-h100 --ranks 16", " --platform frontera --ranks 112"}) {
    const Json predicted =
        collcast::parse_json(collcast("predict allreduce --size 1MiB --format json" + on).out);
    EXPECT_NEAR(of_job(one + on + " --policy fastest")["rows"][0]["step_s"].get<double>() /
                    predicted["predictions"][0]["time_s"].get<double>(),
                1, 1e-9);
  }
}

/// The rule is that of steps: what takes the longest part.
TEST(Job, IsLimitedByTheLongestPart) {
  for (const std::string engine : {"", " --engine path"}) {
    for (const auto& [job, limit] :
         {std::pair("kmeans:compute=1s", "computation"), {"kmeans:compute=1us", "communication: "}}) {
      const Json row = of_job(std::string(job) + " --platform edr-cluster --ranks 4" + engine)["rows"][0];
      EXPECT_THAT(row["limited_by"].get<std::string>(), testing::StartsWith(limit)) << engine;
    }
  }
}

/// What was played says so, in tables and lists; what takes its own time has its name.
TEST(Job, TheHeadingSaysWhoPlays) {
  const std::string on = " --platform edr-cluster --ranks 4 --engine path";
  EXPECT_THAT(collcast("job kmeans" + on).out,
              testing::StartsWith("kmeans on edr-cluster, nccl-2.8, engine path\n"));
  EXPECT_THAT(collcast("job kmeans,stencil" + on).out,
              testing::StartsWith("kmeans,stencil: 2 points on edr-cluster, engine path\n"));
  const std::string step = collcast("train --model resnet50 --framework horovod --explain" + on).out;
  for (const char* words : {"per replica, nccl-2.8, engine path\n", "the coordinator's next round",
                            "the coordinator's rounds", "copy in"})
    EXPECT_THAT(step, HasSubstr(words));
  const Outcome markdown =
      collcast("train --model resnet50 --platform edr-cluster --ranks 1 --format markdown");
  EXPECT_THAT(markdown.out.substr(0, markdown.out.find('\n')), HasSubstr("per replica, nccl-2.8"));
  EXPECT_THAT(collcast("train --model resnet50 --platform frontera --throughput 1 --ranks 1").out,
              testing::Not(HasSubstr("of 0 B")));
}

/// Copies of many slots are one row, and the sum stays.
TEST(Job, CopiesWithinNodesAreOneCause) {
  const Json played = of_job("p3dfft:n=256 --platform frontera --ranks 216 --engine contention --explain");
  int copies = 0;
  double sum = 0;
  for (const Json& cause : played["explanation"][0]["causes"]) {
    copies += cause["name"].get<std::string>().find(" slot ") != std::string::npos;
    sum += cause["time_s"].get<double>();
  }
  EXPECT_EQ(copies, 1);
  EXPECT_NEAR(sum, played["rows"][0]["step_s"].get<double>(), 1e-9);
}

TEST(Job, NotesOfPricesReachListsAndCsv) {
  const Folder folder;
  const std::string file = folder / "scans.json";
  std::ofstream(file) << R"({"name": "scans", "dimensions": {"data": 4}, "streams": ["compute"], "roles": [
      {"name": "rank", "do": [{"do": "scan", "bytes": 65536, "group": "data"}]}]})";
  const std::string job = "job " + file + " --policy openmpi-4.0 --platform ";
  for (const std::string on :
       {"frontera", "frontera --format csv", "frontera,summit", "frontera,summit --format csv"})
    EXPECT_THAT(collcast(job + on).err, HasSubstr("scan takes the time of the catalogue's fastest")) << on;
  // nobody chooses among one algorithm
  EXPECT_EQ(collcast("job stencil --ranks 4 --policy openmpi-4.0 --engine path --platform frontera").err, "");
}

/// Before anything is computed, in one line.
TEST(Job, BadTextsInListsAreRefusedAtOnce) {
  for (const auto& [words, what] :
       {std::pair("job stencil --platform summit --ranks 4 --policy nope", "unknown policy 'nope'"),
        {"job stencil --platform summit,flat --ranks 4 --policy openmpi-4.0,nope", "unknown policy 'nope'"},
        {"job stencil,nope --platform summit --ranks 4", "unknown application 'nope'"},
        {"job stencil --platform summit --ranks 4 --engine path,fast",
         "--engine takes path, contention or simgrid, not 'fast'"},
        {"job stencil --platform summit --ranks 4 --engine auto",
         "--engine takes path, contention or simgrid, not 'auto'"},
        {"train --model resnet50,nope --platform summit --ranks 4", "unknown model 'nope'"},
        {"train --model resnet50 --platform summit,flat --ranks 4 --framework ddp,nope",
         "unknown framework 'nope'"},
        {"train --model resnet50 --platform summit --ranks 4 --batch 8,0", "batch '0' is not a whole number"},
        {"train --model resnet50 --platform summit --ranks 4 --policy nccl-2.8,nope",
         "unknown policy 'nope'"},
        {"job stencil --platform summit --ranks 4 --samples 0", "--samples must be above 0, got 0"}}) {
    const Outcome o = collcast(words);
    EXPECT_EQ(o.code, 2) << words;
    EXPECT_EQ(o.out, "") << words;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
    EXPECT_THAT(o.err, HasSubstr(what)) << words;
  }
}

TEST(Job, DescribesWhatItReadsBack) {
  const Folder folder;
  const std::string file = folder / "fft.json";
  const std::string on = " --platform bluefield-2-cluster --ranks 64";
  const Outcome described = collcast("job p3dfft:n=64,mode=offload" + on + " --describe");
  ASSERT_EQ(described.code, 0) << described.err;
  std::ofstream(file) << described.out;
  EXPECT_EQ(of_job(file + on)["rows"], of_job("p3dfft:n=64,mode=offload" + on)["rows"]);
}

/// A DPU plays at its own price, and only where there is one.
TEST(Job, OffloadsWhereThereIsADpu) {
  const auto time = [](const std::string& mode) {
    return of_job("p3dfft:n=64,mode=" + mode +
                  " --platform bluefield-2-cluster --ranks 64")["rows"][0]["step_s"]
        .get<double>();
  };
  EXPECT_NE(time("offload"), time("nonblocking"));
  EXPECT_NE(time("offload"), time("offload --pieces 4"));
  EXPECT_LT(time("offload --delivery direct"), time("offload --delivery staged"));
  EXPECT_EQ(time("offload --delivery staged"), time("offload"));
  EXPECT_EQ(collcast("job p3dfft:mode=offload --platform summit --ranks 12").err,
            "collcast: summit has no DPU; bluefield-2-cluster has one\n");
}

TEST(Job, TheFullMachineIsPlayed) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const int ranks = collcast::testing::all_or_one_in(9, 27648);
  const Json played = of_job("p3dfft:n=4096 --platform summit --ranks " + std::to_string(ranks));
  EXPECT_EQ(played["rows"][0]["ranks"], ranks);
  EXPECT_GT(played["rows"][0]["step_s"], 0);
}

TEST(Job, BadInputIsOneLine) {
  for (const auto& [arguments, what] : {
           std::pair("p3dfft --ranks 8", "--platform is required; see collcast job --help"),
           {"p3dfft --platform summit", "application p3dfft: --ranks is required"},
           {"p3dff --platform summit --ranks 8", "did you mean 'p3dfft'?"},
           {"p3dfft:n=two --platform summit --ranks 8", "n takes a whole number from 2, got 'two'"},
           {"p3dfft:wrong=1 --platform summit --ranks 8", "application p3dfft has no 'wrong'"},
           {"kmeans --platform bluefield-2-cluster --ranks 8 --pieces 2",
            "offloaded collectives; kmeans has none"},
           {"kmeans --platform bluefield-2-cluster --ranks 8 --delivery direct",
            "offloaded collectives; kmeans has none"},
           {"p3dfft --platform bluefield-2-cluster --ranks 8 --delivery far",
            "takes staged or direct, got 'far'"},
           {"none.json --platform summit", "none.json: cannot be read"},
           {"p3dfft --platform flat --ranks 8", "give compute=TIME"},
           {"p3dfft --schema", "--schema takes no job: it is of all of them"},
           {"--schema --ranks 8", "--ranks needs a job, FILE.json or an application, without --schema"},
           {"p3dfft --platform summit --ranks 8,16 --describe",
            "--describe takes a single number for --ranks"},
           {"p3dfft --platform bluefield-2-cluster --ranks 4096",
            "holds 1024 ranks (32 nodes of 32), not 4096; --set max_nodes=128 makes room"},
       }) {
    const Outcome o = collcast(std::string("job ") + arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_THAT(o.err, HasSubstr(what)) << arguments;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
    EXPECT_EQ(o.out, "") << arguments;
  }
}

/// Rows of jobs and training steps say their bound and what they rest on, as those of `predict` do.
TEST(Job, RowsHaveABoundAndAPedigree) {
  const auto row = [](const std::string& arguments) {
    const Outcome o = collcast(arguments + " --format json");
    EXPECT_EQ(o.code, 0) << o.err;
    return collcast::parse_json(o.out)["rows"][0];
  };
  const std::string step = "train --model resnet50 --platform edr-cluster --policy openmpi-4.0 --ranks 16";
  for (const std::string& asked :
       {step, step + " --engine path", step + " --framework horovod",
        step + " --framework parameter-server:servers=2",
        std::string("job p3dfft:n=64 --platform edr-cluster --ranks 16"),
        std::string("job kmeans:compute=1ms --platform edr-cluster --ranks 16 --engine path")}) {
    const Json r = row(asked);
    EXPECT_LE(r["lower_bound_s"], r["step_s"]) << asked;
    EXPECT_GE(r["lower_bound_s"], r["compute_s"].get<double>() * (1 - 1e-9)) << asked;
    EXPECT_TRUE(r["bound_cut"].is_string() && r["calibrated"].is_boolean() && r.contains("transferred"))
        << asked;
  }
  const std::string served = step + " --framework parameter-server:servers=2";
  EXPECT_THAT(collcast(served).err, HasSubstr("note: servers=2 takes 2 nodes more than the answer counts; "));
  EXPECT_EQ(collcast(served + ",beside=1").err.find("more than the answer counts"), std::string::npos);
  EXPECT_EQ(row(step)["computation"], "roofline");
  EXPECT_EQ(row(step + " --throughput 300+-2%")["computation"], "throughput");
  EXPECT_FALSE(row("job p3dfft:n=64 --platform summit --ranks 6")["calibrated"]);
  const Outcome table = collcast(step);
  EXPECT_THAT(table.out, HasSubstr("  bound  "));
  EXPECT_THAT(table.out, HasSubstr("Not calibrated: it rests on datasheet values or guesses"));
  EXPECT_THAT(collcast(step + " --format csv").out, HasSubstr(",lower_bound_s,bound_cut,"));
}

}  // namespace
