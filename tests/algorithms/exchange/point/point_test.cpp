// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/point/point.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_point(Json::parse(text), "here");
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

TEST(Point, WhatIsWrittenIsRead) {
  const std::string text =
      R"({"collective":"broadcast","algorithm":"knomial","parameters":{"radix":4},"ranks":8,"root":3,"message_bytes":1000})";
  const Point p = parse_point(Json::parse(text), "here");
  EXPECT_EQ(p.algorithm->name, "knomial");
  EXPECT_EQ(p.call.radix, 4);
  EXPECT_EQ(p.call.root, 3);
  EXPECT_EQ(dump(to_json(p)), text);
  EXPECT_EQ(describe(p), "broadcast knomial k=4, 8 ranks, 1,000 B");
}

TEST(Point, LibrarysOwnCollectiveHasNoAlgorithm) {
  const Point p = parse_point(
      Json::parse(R"({"collective":"allreduce","algorithm":"library","ranks":4,"message_bytes":65536})"),
      "x");
  EXPECT_EQ(p.algorithm, nullptr);
  EXPECT_EQ(describe(p), "allreduce library, 4 ranks, 64 KiB");
  EXPECT_EQ(to_json(p)["algorithm"], "library");
}

TEST(Point, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal(R"([])"), "here: is no object");
  EXPECT_EQ(refusal(R"({"algorithm":"ring"})"), "here: collective must be a text");
  EXPECT_TRUE(
      refusal(R"({"collective":"allreduce","algorithm":"rin"})").starts_with("here: no algorithm 'rin'"));
  EXPECT_EQ(refusal(R"({"collective":"allreduce","algorithm":"ring","ranks":0})"),
            "here: ranks must be a whole number from 1 to 2147483647, not 0");
  EXPECT_EQ(refusal(R"({"collective":"allreduce","algorithm":"ring","ranks":7,"jobs":2})"),
            "here: 7 ranks cannot be shared out evenly to 2 jobs");
  EXPECT_EQ(
      refusal(R"({"collective":"broadcast","algorithm":"knomial","ranks":4,"parameters":{"radix":"2"}})"),
      "here: parameters: radix must be a whole number from 0 to 2147483647, not \"2\"");
  EXPECT_EQ(refusal(R"({"collective":"broadcast","algorithm":"flat","ranks":4,"root":4})"),
            "here: root must be a rank from 0 to 3, got 4");
}

TEST(Point, JobsTakeRanksInTurns) {
  // Two rings of two ranks each: 0 and 2, 1 and 3. Each ring has 2 steps of 2 messages.
  Point p = parse_point(
      Json::parse(R"({"collective":"allreduce","algorithm":"ring","ranks":4,"jobs":2,"message_bytes":8})"),
      "here");
  const Schedule all = schedule(p);
  EXPECT_EQ(all.ranks, 4);
  EXPECT_EQ(traffic(all).messages, 8);
  for_each_step(all, false, [](const Step& step) {
    for (const Transfer& t : step.transfers) EXPECT_EQ(t.from.rank % 2, t.to.rank % 2);
  });
  EXPECT_EQ(layout(p, all).size(Chunk{0, 1}).value, 4);
}

}  // namespace
}  // namespace collcast
