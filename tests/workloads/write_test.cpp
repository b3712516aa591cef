// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/write.hpp"

#include <gtest/gtest.h>

#include "tests/complaint.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;

/// Tells members, sizes and who plays apart.
Price of_everything(const GroupCall& c) {
  Seconds t(1e-3 * c.bytes.value + 0.7 * static_cast<double>(c.algorithm.size()) +
            (c.offloaded ? 0.3 : 0.1) * static_cast<int>(c.collective));
  for (const RankGroup::Dimension& d : c.group.dimensions) t += Seconds(d.count + 0.01 * d.stride);
  return {t, t, t, ""};
}

void expect_same(const Job& job) {
  const std::string text = job_text(job);
  const Job back = parse_job(text, "back.json");
  EXPECT_EQ(job_text(back), text) << job.name;
  EXPECT_EQ(play(back, of_everything).time, play(job, of_everything).time) << job.name;
  EXPECT_EQ(back.ranks(), job.ranks());
}

TEST(WriteJob, ApplicationsComeBackAsTheyWent) {
  for (const char* text :
       {"p3dfft", "p3dfft:mode=nonblocking,fields=3", "p3dfft:mode=offload,transforms=3,grid=2x20", "kmeans",
        "stencil:residual=2", "stencil:overlap=1,dims=2", "pbt:trial=2,gradients=1MB,steps=3"})
    expect_same(application_job(text, 40, {"cpu", 1e12, 2e12, BytesPerSecond(1e11)}));
}

TEST(WriteJob, KeepsWhatAFileSays) {
  expect_same(parse_job(R"({
    "name": "two \"stages\"", "dimensions": {"data": 4, "stage": 2, "row": 3}, "roles_along": "stage",
    "streams": ["c", "m", "more"], "slowdown": 0.25, "groups": {"both": ["stage", "row"], "plain": ["row"]},
    "roles": [
      {"name": "a", "do": [{"repeat": 2, "do": [
        {"do": "compute", "name": "f", "time_s": 0.1},
        {"do": "send", "to": "b", "bytes": 1.5, "tag": 3, "after": ["f"], "stream": "more"}]},
        {"do": "broadcast", "group": "both", "bytes": 7, "progress": "host"}]},
      {"name": "b", "do": [{"repeat": 2, "do": [
        {"do": "receive", "from": "a", "bytes": 1.5, "tag": 3},
        {"do": "compute", "time_s": 2, "after": ["receive"], "stream": "m"}]},
        {"do": "broadcast", "group": "both", "bytes": 7, "progress": "host"},
        {"do": "allreduce", "group": "plain", "bytes": 3, "offload": "dpu", "algorithm": "ring"}]}
    ]})",
                        "f.json"));
}

/// The first of two that are called alike is referred to behind the second.
TEST(WriteJob, NumbersWhatWouldBeMistaken) {
  Job job;
  job.name = "hidden";
  job.dimensions = {{"data", 2}};
  job.groups = {{"data", {0}}};
  using Kind = JobActivity::Kind;
  job.roles = {{"rank",
                {{.kind = Kind::collective, .name = "x", .stream = 1, .bytes = Bytes(1)},
                 {.kind = Kind::collective, .name = "x", .stream = 1, .bytes = Bytes(9)},
                 {.name = "early", .time = Seconds(1), .after = {0}},
                 {.name = "late", .time = Seconds(1), .after = {1}}}}};
  expect_same(job);
  const Job back = parse_job(job_text(job), "back.json");
  EXPECT_EQ(back.roles[0].activities[0].name, "x (2)");
  EXPECT_EQ(back.roles[0].activities[2].after, (std::vector<int>{0}));
  EXPECT_EQ(back.roles[0].activities[3].after, (std::vector<int>{1}));
}

TEST(WriteJob, RefusesACoordinator) {
  Job job;
  job.name = "horovod";
  job.coordinator.emplace();
  EXPECT_EQ(complaint([&] { job_text(job); }),
            "job horovod: gradients that a coordinator reduces have no JSON form");
}

}  // namespace
}  // namespace collcast::workloads
