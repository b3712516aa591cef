// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/summary.hpp"

#include <gtest/gtest.h>

#include "workloads/job/read.hpp"

namespace collcast::workloads {
namespace {

Price second_a_byte(const GroupCall& call) {
  const Seconds t(call.bytes.value);
  return {t, t, t, ""};
}

std::vector<ActivitySummary> of(const std::string& text) {
  const Job job = parse_job(text, "s.json", 8);
  return summary(job, play(job, second_a_byte));
}

void expect_row(const ActivitySummary& row, const std::string& name, int count, double total,
                double exposed) {
  EXPECT_EQ(row.name, name);
  EXPECT_EQ(row.count, count) << name;
  EXPECT_DOUBLE_EQ(row.total.value, total) << name;
  EXPECT_DOUBLE_EQ(row.exposed.value, exposed) << name;
}

/// 2 s, then 3 s beneath which 3 of 4 s of an allreduce hide: 5 + 1.
TEST(Summary, WhatIsExposedAddsUpToTheTime) {
  const auto rows = of(R"({"dimensions": {"data": 8}, "roles": [{"do": [
    {"do": "compute", "time_s": 2}, {"do": "allreduce", "bytes": 4, "after": ["compute"]},
    {"do": "compute", "time_s": 3}]}]})");
  ASSERT_EQ(rows.size(), 2u);
  expect_row(rows[0], "compute", 2, 5, 5);
  expect_row(rows[1], "allreduce", 1, 4, 1);
}

/// Two reductions side by side share what they expose: 2 s together, then 1 s of the longer one.
TEST(Summary, WhatRunsSideBySideSharesATime) {
  const auto rows = of(R"({"dimensions": {"data": 8}, "streams": ["c", "a", "b"], "roles": [{"do": [
    {"do": "allreduce", "name": "x", "bytes": 2, "stream": "a"},
    {"do": "allreduce", "name": "y", "bytes": 3, "stream": "b"}]}]})");
  ASSERT_EQ(rows.size(), 2u);
  expect_row(rows[0], "x", 1, 2, 1);
  expect_row(rows[1], "y", 1, 3, 2);
}

/// The first stage has sent at 3 s; the second, which waits for it for 2 s, has received then, and computes
/// for 2 s.
TEST(Summary, OfEachRoleWithItsWaiting) {
  const auto rows = of(R"({"dimensions": {"data": 4, "stage": 2}, "roles_along": "stage", "roles": [
    {"name": "a", "do": [{"do": "compute", "time_s": 2}, {"do": "send", "to": "b", "bytes": 1, "after": ["compute"]}]},
    {"name": "b", "do": [{"do": "receive", "from": "a", "bytes": 1},
                         {"do": "compute", "time_s": 2, "after": ["receive"]}]}]})");
  ASSERT_EQ(rows.size(), 6u);
  expect_row(rows[0], "compute", 1, 2, 2);
  expect_row(rows[1], "send", 1, 1, 1);
  expect_row(rows[2], "waiting for others", 1, 2, 2);
  EXPECT_EQ(rows[2].role, "a");
  expect_row(rows[3], "receive", 1, 1, 1);
  expect_row(rows[4], "compute", 1, 2, 2);
  expect_row(rows[5], "waiting for others", 1, 2, 2);
  EXPECT_EQ(rows[5].role, "b");
}

/// 2 s of computation, beneath which 1 s passes on another stream, then 2 s more of that.
TEST(Summary, TheFirstStreamsComputationComesBeforeTheOthers) {
  const auto rows = of(R"({"dimensions": {"data": 8}, "streams": ["c", "copies"], "roles": [{"do": [
    {"do": "compute", "name": "first", "time_s": 1},
    {"do": "compute", "name": "copy", "stream": "copies", "time_s": 3, "after": ["first"]},
    {"do": "compute", "time_s": 1}]}]})");
  ASSERT_EQ(rows.size(), 3u);
  expect_row(rows[0], "first", 1, 1, 1);
  expect_row(rows[1], "compute", 1, 1, 1);
  expect_row(rows[2], "copy", 1, 3, 2);
}

}  // namespace
}  // namespace collcast::workloads
