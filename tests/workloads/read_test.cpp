// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/read.hpp"

#include <gtest/gtest.h>

#include "tests/complaint.hpp"
#include "workloads/job/player.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;

const std::string pipeline_file = R"({
  "name": "two stages", "dimensions": {"data": "*", "stage": 2}, "roles_along": "stage", "streams": ["c", "m"],
  "roles": [
    {"name": "a", "do": [{"repeat": 2, "do": [
      {"do": "compute", "name": "f", "time_s": 2}, {"do": "send", "to": "b", "bytes": 1, "after": ["f"]}]}]},
    {"name": "b", "do": [{"repeat": 2, "do": [
      {"do": "receive", "from": "a", "bytes": 1}, {"do": "compute", "time_s": 2, "after": ["receive"]}]},
      {"do": "allreduce", "group": "data", "bytes": 3, "after": ["compute"]}]}
  ]})";

std::string with(std::string from, const std::string& to) {
  std::string text = pipeline_file;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// Two micro-batches of 2 s through two stages, a second for each message: 2 + 1 + 2 + 2, and 3 s for the
/// end.
TEST(ReadJob, PlaysWhatItSays) {
  const Job job = parse_job(pipeline_file, "p.json", 8);
  EXPECT_EQ(job.ranks(), 8);
  EXPECT_EQ(job.dimensions[0].size, 4);
  const auto price = [](const GroupCall& c) {
    const Seconds t(c.bytes.value);
    return Price{t, t, t, ""};
  };
  EXPECT_DOUBLE_EQ(play(job, price).time.value, 10);
}

TEST(ReadJob, KnowsWhoBringsACollectiveOn) {
  for (const auto& [key, progress] : {std::pair(R"("progress": "always")", Progress::always),
                                      {R"("progress": "host")", Progress::host},
                                      {R"("offload": "dpu")", Progress::dpu}}) {
    const Job job = parse_job(with(R"("bytes": 3)", std::string(R"("bytes": 3, )") + key), "p.json", 8);
    EXPECT_EQ(job.roles[1].activities.back().progress, progress) << key;
  }
}

TEST(ReadJob, CollectivesMayNameTheirAlgorithm) {
  const Job job = parse_job(with("\"bytes\": 3,", "\"bytes\": 3, \"algorithm\": \"ring\","), "p.json", 8);
  EXPECT_EQ(job.roles[1].activities.back().algorithm, "ring");
  EXPECT_EQ(job.roles[1].activities[0].algorithm, "");
  std::vector<std::string> asked;
  play(job, [&](const GroupCall& c) { return asked.push_back(c.algorithm), Price{}; });
  EXPECT_EQ(asked.back(), "ring");
}

TEST(ReadJob, ABarrierHasNoBytes) {
  const Job job = parse_job(
      with(R"("allreduce", "group": "data", "bytes": 3)", R"("barrier", "group": "data")"), "p.json", 8);
  EXPECT_EQ(job.roles[1].activities.back().collective, Collective::barrier);
  EXPECT_EQ(job.roles[1].activities.back().bytes, Bytes());
  EXPECT_EQ(complaint([] { parse_job(with("\"allreduce\"", "\"barrier\""), "p.json", 8); }),
            "p.json: roles.1.do.1.bytes must be 0: a barrier carries nothing");
  EXPECT_EQ(complaint([] { parse_job(with("\"bytes\": 3, ", ""), "p.json", 8); }),
            "p.json: roles.1.do.1 needs 'bytes'");
}

/// 10^18 times nothing come back at once.
TEST(ReadJob, NothingIsRepeatedOnce) {
  const std::string often = R"({"repeat": 1000000000, "do": [)";
  const Job job = parse_job(
      with("\"do\": [{\"repeat\": 2", "\"do\": [" + often + often + "]}]}, {\"repeat\": 2"), "p.json", 8);
  EXPECT_EQ(job.roles[0].activities.size(), 4u);
}

TEST(ReadJob, SaysWhatIsWrong) {
  const auto error = [](const std::string& text, Rank ranks = 8) {
    return complaint([&] { parse_job(text, "p.json", ranks); });
  };
  EXPECT_EQ(error("hello"), "p.json: is not JSON, which begins with { or [");
  EXPECT_EQ(error("[]"), "p.json: the job must be an object");
  const std::string roles =
      R"({"dimensions": {"d": "*"}, "roles": [{"name": "a", "do": []}, {"name": "a", "do": []}])";
  EXPECT_EQ(error(roles + "}"), "p.json: roles.1 names the role 'a' a second time");
  EXPECT_EQ(error(roles + R"(, "streams": ["c", "c"]})"),
            "p.json: streams.1 names the stream 'c' a second time");
  EXPECT_EQ(error(pipeline_file, 7), "p.json: dimensions multiply to 2 and '*', not to 7 ranks");
  EXPECT_EQ(error(pipeline_file, 0), "p.json: dimensions leave '*' open: say how many ranks");
  EXPECT_EQ(error(with("\"*\"", "3")), "p.json: dimensions multiply to 6, not to 8 ranks");
  EXPECT_EQ(error(with("\"*\"", "-3")),
            "p.json: dimensions.data must be a whole number from 1 to 1073741824");
  EXPECT_EQ(error(with("\"time_s\": 2", "\"time_s\": -2")),
            "p.json: roles.0.do.0.do.0.time_s must be a number from 0 to 1000000000");
  EXPECT_EQ(error(with("\"time_s\": 2", "\"time_s\": 1e308")),
            "p.json: roles.0.do.0.do.0.time_s must be a number from 0 to 1000000000");
  EXPECT_EQ(error(with("\"to\": \"b\"", "\"to\": \"z\"")),
            "p.json: roles.0.do.0.do.1.to names the role 'z', which there is not");
  EXPECT_EQ(error(with("[\"f\"]", "[\"g\"]")),
            "p.json: roles.0.do.0.do.1.after.0 names 'g', which does not stand before it");
  EXPECT_EQ(error(with("\"group\": \"data\"", "\"group\": \"date\"")),
            "p.json: roles.1.do.1.group names the group 'date'; there are data, stage, all");
  EXPECT_EQ(error(with("\"allreduce\"", "\"allredcue\"")).substr(0, 66),
            "p.json: roles.1.do.1.do is no activity (compute, send, receive, re");
  const auto by = [](const char* algorithm) {
    return with("\"bytes\": 3,", "\"bytes\": 3, \"algorithm\": " + std::string(algorithm) + ",");
  };
  EXPECT_EQ(error(by("\"rin\"")).substr(0, 76),
            "p.json: roles.1.do.1.algorithm cannot be: no algorithm 'rin' for allreduce; ");
  EXPECT_EQ(error(by("7")), "p.json: roles.1.do.1.algorithm must be text");
  const std::string of_pairs = "\"allgather\", \"algorithm\": \"recursive-doubling\"";
  EXPECT_EQ(error(with("\"allreduce\"", of_pairs)), "");
  EXPECT_EQ(
      error(with("\"allreduce\"", of_pairs), 12),
      "p.json: roles.1.do.1.algorithm cannot be: allgather recursive-doubling needs ranks: power of two, "
      "got 6");
  const auto on_end = [&](const std::string& keys) {
    return error(with("\"bytes\": 3", "\"bytes\": 3, " + keys));
  };
  EXPECT_EQ(on_end(R"("progress": "thread")"),
            "p.json: roles.1.do.1.progress takes always or host, not 'thread'");
  EXPECT_EQ(on_end(R"("progress": 1)"), "p.json: roles.1.do.1.progress must be text");
  EXPECT_EQ(on_end(R"("offload": "gpu")"), "p.json: roles.1.do.1.offload takes dpu, not 'gpu'");
  EXPECT_EQ(on_end(R"("offload": "dpu", "progress": "host")"),
            "p.json: roles.1.do.1 is brought on by a DPU or by 'progress', not by both");
  EXPECT_EQ(error(with("\"time_s\": 2", "\"time_s\": 2, \"progress\": \"host\"")),
            "p.json: roles.0.do.0.do.0 has no 'progress'; it takes do, name, stream, after, time_s");
  for (const char* taken : {"all", "stage"})
    EXPECT_EQ(error(with("\"roles_along\"",
                         "\"groups\": {\"" + std::string(taken) + "\": [\"data\"]}, \"roles_along\"")),
              "p.json: groups." + std::string(taken) +
                  " takes a name that is taken: every dimension is a group, and 'all' is that of all ranks");
  EXPECT_EQ(error(with("\"name\": \"two", "\"nmae\": \"two")).substr(0, 28), "p.json: the job has no 'nmae");
  EXPECT_EQ(error(with(", \"roles_along\": \"stage\"", "")),
            "job two stages: 2 roles, where its dimensions ask for 1");
}

}  // namespace
}  // namespace collcast::workloads
