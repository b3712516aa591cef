// SPDX-License-Identifier: Apache-2.0
#include "forecast/transferred.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/answer.hpp"
#include "platforms/description/load.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

using namespace literals;
using ::testing::Contains;

CalibratedOn allreduce_tables(int tables = 2) {
  return {"nccl", "made up", {"allreduce"}, {4, 8}, {1024, 1 << 20}, tables, 0.03, 0.1};
}

/// A forecast of one second that its parameters alone would make certain.
Prediction forecast(Collective collective, Rank ranks, Bytes message,
                    const std::string& transport = "nccl:LL") {
  Prediction p;
  p.algorithm = algorithms(collective).front();
  p.call = {.ranks = ranks, .message = message};
  p.time = p.low = p.high = Seconds(1);
  p.transport = transport;
  return p;
}

void expect_spread(const Prediction& p, bool transferred, double s) {
  EXPECT_EQ(p.transferred, transferred);
  EXPECT_NEAR(std::log(p.high.value), s, 1e-4);
  EXPECT_NEAR(std::log(p.low.value), -s, 1e-4);
}

TEST(Transferred, ACallLikeTheirsIsMissedAsTheirPoints) {
  // 1.64485 times 0.1
  expect_spread(within({allreduce_tables()}, forecast(Collective::allreduce, 6, 4_KiB)), false, 0.164485);
}

TEST(Transferred, AnotherCollectiveIsAnotherTable) {
  // t of one degree is 6.31375: (6.31375 x 0.03)^2 x 1.5 + 0.164485^2 = 0.080870
  expect_spread(within({allreduce_tables()}, forecast(Collective::broadcast, 6, 4_KiB)), true, 0.284376);
}

TEST(Transferred, EachDoublingBeyondAddsACalibratedNumbers) {
  // Two of the ranks: 0.080870 + 2 ln(1.05)^2; two of the message: 0.164485^2 + 2 ln(1.05)^2.
  expect_spread(within({allreduce_tables()}, forecast(Collective::allreduce, 32, 4_KiB)), true, 0.292629);
  expect_spread(within({allreduce_tables()}, forecast(Collective::allreduce, 8, 4_MiB)), true, 0.178367);
  expect_spread(within({allreduce_tables()}, forecast(Collective::allreduce, 8, Bytes(256))), true, 0.178367);
}

TEST(Transferred, OneTableSaysNothingOfOthers) {
  expect_spread(within({allreduce_tables(1)}, forecast(Collective::broadcast, 6, 4_KiB)), true,
                std::log(1.5));
}

TEST(Transferred, AnotherTransportIsAsUncertainAsItsParameters) {
  expect_spread(within({allreduce_tables()}, forecast(Collective::allreduce, 6, 4_KiB, "mpi")), true, 0);
  expect_spread(within({allreduce_tables()}, forecast(Collective::allreduce, 6, 4_KiB, "nccl-2.8:LL")), true,
                0);
}

TEST(Transferred, TheNearestOfSeveralDecides) {
  CalibratedOn broadcast = allreduce_tables();
  broadcast.collectives = {"broadcast"}, broadcast.within_tables = 0.2;
  const std::vector<CalibratedOn> both = {allreduce_tables(), broadcast};
  expect_spread(within(both, forecast(Collective::broadcast, 6, 4_KiB)), false, 0.32897);
}

TEST(Transferred, IntervalsThatAreWiderStay) {
  Prediction p = forecast(Collective::allreduce, 6, 4_KiB);
  p.low = Seconds(0.5), p.high = Seconds(2);
  const Prediction same = within({allreduce_tables()}, p);
  EXPECT_EQ(same.low, p.low);
  EXPECT_EQ(same.high, p.high);
}

TEST(Transferred, APlatformThatDoesNotSayIsNotAsked) {
  EXPECT_EQ(within({}, forecast(Collective::allreduce, 6, 4_KiB)).transferred, std::nullopt);
}

TEST(Transferred, IsToldWithItsRange) {
  Question q;
  q.collectives = {"allreduce"}, q.platforms = {"abci-v-nccl"}, q.policy = "nccl-2.8";
  q.ranks = {8, 64}, q.sizes = {1_MiB};
  const Answer a = ask(q);
  ASSERT_EQ(a.rows.size(), 2u);
  EXPECT_EQ(a.rows[0].prediction.transferred, false);
  EXPECT_EQ(a.rows[1].prediction.transferred, true);
  EXPECT_THAT(a.notes,
              Contains("abci-v-nccl was calibrated on nccl-2.8: allreduce, broadcast, 4 to 8 ranks, "
                       "4 B to 32 MiB: forecasts beyond that are transferred, with wider intervals"));
}

}  // namespace
}  // namespace collcast
