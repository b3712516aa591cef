// SPDX-License-Identifier: Apache-2.0
// A checker that finds nothing wrong must be able to: schedules with one defect each.
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "execution/check/verify.hpp"
#include "tests/execution/mpi/world.hpp"

namespace collcast::mpi {
namespace {

/// Ring allreduce with `spoil` applied to its first step.
template <void (*Spoil)(Step&)>
Algorithm spoiled() {
  Algorithm a = algorithm(Collective::allreduce, "ring");
  a.schedule = [](const Call& call) {
    Schedule s = algorithm(Collective::allreduce, "ring").schedule(call);
    s.rule = [rule = s.rule](std::int64_t number, Step& step) {
      rule(number, step);
      if (number == 0) Spoil(step);
    };
    return s;
  };
  return a;
}

void wrong_chunk(Step& step) {
  step.transfers[0].chunk.first = (step.transfers[0].chunk.first + 1) % 2;
}
void wrong_peer(Step& step) {
  std::swap(step.transfers[0].to, step.transfers[1].to);
}
void wrong_combine(Step& step) {
  step.transfers[0].combine = Combine::copy;
}
void lost(Step& step) {
  step.transfers.pop_back();
}
void doubled(Step& step) {
  step.transfers.push_back(step.transfers[0]);
}

void expect_caught(const Algorithm& algorithm) {
  Call call;
  call.message = Bytes(8 * 64);
  const auto wrong = verify(algorithm, call, world());
  ASSERT_TRUE(wrong);
  EXPECT_GE(wrong->rank, 0);
  EXPECT_LT(wrong->element, 64u);
  EXPECT_EQ(wrong->words(), "element " + std::to_string(wrong->element) + " of rank " +
                                std::to_string(wrong->rank) + " is " + wrong->got + ", should be " +
                                wrong->wanted + " (int64)");
}

TEST(Checker, CatchesAWrongChunk) {
  if (world()->size() == 1) GTEST_SKIP() << "one rank sends nothing";
  expect_caught(spoiled<wrong_chunk>());
}
TEST(Checker, CatchesAWrongPeer) {
  if (world()->size() < 3) GTEST_SKIP() << "needs three ranks";
  expect_caught(spoiled<wrong_peer>());
}
TEST(Checker, CatchesACopyForAReduction) {
  if (world()->size() == 1) GTEST_SKIP() << "one rank sends nothing";
  expect_caught(spoiled<wrong_combine>());
}
TEST(Checker, CatchesALostMessage) {
  if (world()->size() == 1) GTEST_SKIP() << "one rank sends nothing";
  expect_caught(spoiled<lost>());
}
TEST(Checker, CatchesADoubledMessage) {
  if (world()->size() == 1) GTEST_SKIP() << "one rank sends nothing";
  expect_caught(spoiled<doubled>());
}

}  // namespace
}  // namespace collcast::mpi
