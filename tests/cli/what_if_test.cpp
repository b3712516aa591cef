// SPDX-License-Identifier: Apache-2.0
// What would move the answer of `train`, `job` and `replay`, and what does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "tests/cli/collcast.hpp"
#include "tests/folder.hpp"
#include "tests/sanitized.hpp"

namespace {

using collcast::Json;
using collcast::testing::collcast, collcast::testing::Outcome;
using ::testing::HasSubstr, ::testing::StartsWith;

Json answered(const std::string& arguments) {
  const Outcome o = collcast(arguments + " --format json");
  EXPECT_EQ(o.code, 0) << o.err;
  return collcast::parse_json(o.out);
}

std::map<std::string, double> elasticities(const std::string& arguments) {
  std::map<std::string, double> all;
  const Json json = answered(arguments + " --sensitivity");
  for (const Json& row : json["sensitivity"]) all[row["parameter"]] = row["elasticity"];
  return all;
}

/// One rank of given speed: without communication the time is the computation's, and the network nobody's.
TEST(WhatIf, AStepAloneMovesWithItsProcessor) {
  const auto all = elasticities("train --model vgg16 --platform dgx-1v --ranks 1");
  ASSERT_FALSE(all.empty());
  double sum = 0;
  for (const auto& [parameter, elasticity] : all) {
    EXPECT_TRUE(parameter.starts_with("devices.")) << parameter;
    EXPECT_LT(elasticity, 0) << parameter;
    sum += elasticity;
  }
  EXPECT_GT(sum, -1.0001);
  EXPECT_TRUE(elasticities("train --model vgg16 --throughput 200 --platform dgx-1v --ranks 1").empty());
}

/// CSV is one table: what was asked for beside the rows is in it instead of them.
TEST(WhatIf, CsvHasTheSensitivity) {
  const Outcome o = collcast("train --model vgg16 --platform dgx-1v --ranks 1 --sensitivity --format csv");
  EXPECT_THAT(o.out, StartsWith("parameter,elasticity\ndevices."));
}

TEST(WhatIf, WhatDoesNotMoveTheAnswerIsSaid) {
  for (const std::string verb : {"train --model vgg16 --ranks 8", "job kmeans --ranks 8"}) {
    const std::string moves_nothing = verb + " --platform dgx-1v --set network.bandwidth_GBps=25";
    const Json json = answered(moves_nothing);
    ASSERT_EQ(json["unbound"].size(), 1u) << verb;
    EXPECT_EQ(json["unbound"][0]["parameter"], "network.bandwidth_GBps");
    EXPECT_THAT(collcast(moves_nothing).out, HasSubstr("network.bandwidth_GBps does not change the answer"));
  }
  EXPECT_TRUE(
      answered("train --model vgg16 --ranks 16 --platform dgx-1v --set network.bandwidth_GBps=2")["unbound"]
          .empty());
}

/// 192 GiB hold what 80 GiB do not.
TEST(WhatIf, WhatFitsIsAPartOfTheAnswer) {
  const std::string step =
      "train --model llama2-7b --platform dgx-h100 --ranks 8 --batch 4 --precision amp --framework fsdp "
      "--set "
      "devices.H100-SXM5-80GB.memory_GiB=";
  const Outcome o = collcast(step + "192");
  EXPECT_EQ(o.out.find("does not change the answer"), std::string::npos) << o.out;
  EXPECT_THAT(o.out, HasSubstr("devices.H100-SXM5-80GB.memory_GiB changes what fits, not the time.\n"));
  EXPECT_TRUE(answered(step + "192")["unbound"].empty());
  EXPECT_EQ(collcast(step + "80").code, 1);
}

/// Behind slots of 7 GB/s, faster ports do not help what is exposed of a step's communication.
TEST(WhatIf, TheCapOfExposedCommunicationIsNamed) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const std::string step =
      "train --model bert-large --platform p4d --ranks 16 --batch 8 --precision amp --framework one --set "
      "node.link_kinds.pcie3-x16.bandwidth_GBps=7 --set network.bandwidth_GBps=";
  const std::string cap =
      " does not change the answer; the limit is pcie3-x16, 7.00 GB/s (of the communication that is exposed)";
  EXPECT_THAT(collcast(step + "50").out, HasSubstr("network.bandwidth_GBps" + cap + ".\n"));
  EXPECT_THAT(collcast(step + "1,25,50").err,
              HasSubstr("note: network.bandwidth_GBps from 25 to 50" + cap + "\n"));
}

TEST(WhatIf, OfComputationNobodyDeniesTheEffect) {
  const Outcome o = collcast(
      "train --model resnet50 --platform dgx-a100 --ranks 8 --precision amp --set "
      "devices.A100-SXM4-80GB.tensor_TFLOPS=312,624");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ((o.out + o.err).find("effect"), std::string::npos) << o.err;
  EXPECT_EQ((o.out + o.err).find("does not change"), std::string::npos) << o.err;
}

TEST(WhatIf, AlgorithmsOfWhatATraceLacksAreSaid) {
  const std::string lammps = COLLCAST_SOURCE_DIR "/traces/lammps-melt-8.cct --engine path --algorithm ";
  const auto said = [&](const std::string& verb, const std::string& asked, const std::string& on) {
    return collcast(verb + lammps + asked + on + " edr-cluster").err;
  };
  for (const auto& [verb, on] : {std::pair{"replay ", " --platform"}, {"compare ", " --on"}}) {
    for (const std::string asked : {"alltoall=bruck", "allreduce@1GiB=ring"})
      EXPECT_THAT(said(verb, asked, on), HasSubstr("note: --algorithm " + asked + " changes nothing: "))
          << verb;
    EXPECT_EQ(said(verb, "allreduce=ring", on).find("changes nothing"), std::string::npos) << verb;
  }
}

TEST(WhatIf, OfVerbsThatChooseIsSaid) {
  collcast::testing::EachOrOneIn tried(3);
  const collcast::Folder folder;
  const std::string measured = folder / "measured.jsonl";
  std::ofstream(measured)
      << R"({"collective": "allreduce", "ranks": 8, "message_bytes": 1048576, "time_s": 1e-4})" << '\n';
  for (const std::string& verb : std::vector<std::string>{
           "gap allreduce --ranks 2 --size 1MiB --platform dgx-1v",
           "synthesize allreduce --ranks 2 --size 1MiB --platform dgx-1v",
           "validate --platform dgx-1v --measurements " + measured,
           "validate --platform dgx-1v --collective allreduce --algorithm ring --ranks 2 --size 1KiB "
           "--script " +
               folder / "s",
           "tune --for nccl --ranks 2 --size 1MiB --collective allreduce --platform dgx-1v",
           "plan --model alexnet --samples 1e6 --ranks 2 --platform dgx-1v --aim time"}) {
    if (!tried()) continue;
    const Outcome o = collcast(verb + " --set network.bandwidth_GBps=25");
    EXPECT_EQ(o.code, 0) << verb << o.err;
    EXPECT_THAT(o.err, HasSubstr("note: --set network.bandwidth_GBps=25 does not change the answer\n"))
        << verb;
  }
}

/// Eight ranks on as many nodes wait for messages, not for memory on a node.
TEST(WhatIf, OfAReplay) {
  if (::collcast::address_sanitizer) GTEST_SKIP() << "numbers, which take minutes";
  const std::string replay = "replay " COLLCAST_SOURCE_DIR "/traces/lammps-melt-8.cct --platform edr-cluster";
  const auto all = elasticities(replay + " --compute-scale 0");
  EXPECT_LT(all.at("network.bandwidth_GBps"), 0);
  EXPECT_GT(all.at("network.latency_us"), 0);
  EXPECT_TRUE(answered(replay + " --set network.bandwidth_GBps=1")["unbound"].empty());
  EXPECT_EQ(answered(replay + " --set devices.V100-PCIe-16GB.memory_bandwidth_GBps=800")["unbound"].size(),
            1u);
}

}  // namespace
