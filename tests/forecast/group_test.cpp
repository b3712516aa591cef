// SPDX-License-Identifier: Apache-2.0
#include "forecast/group.hpp"

#include <gtest/gtest.h>

#include "engines/engine.hpp"
#include "platforms/description/load.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

constexpr Bytes mib(1048576);

Seconds library_time(const Library& library, Rank ranks, Bytes message) {
  const Rank node = library.forecaster().ranks_per_node();
  return library
      .predict(Collective::allreduce, {.ranks = ranks, .message = message, .ranks_per_node = node},
               engine("path"))
      .prediction.time;
}

/// There is one price: of everyone it is the library's.
TEST(Group, OfEveryoneIsTheLibrarys) {
  GroupForecaster forecaster(load_platform("dgx-1v"), "");
  EXPECT_EQ(forecaster.policy(), "nccl-2.8");
  for (const Rank ranks : {8, 32}) {
    const RankGroup all{{{ranks, 1}}, ranks};
    EXPECT_EQ(forecaster.predict(Collective::allreduce, all, 16.0 * mib).time,
              library_time({"nccl-2.8", load_platform("dgx-1v"), ranks}, ranks, 16.0 * mib));
  }
}

/// Eight groups of one GPU per node share four cards: each gets half of what one alone would have.
TEST(Group, GroupsThatMeetOnANodeShareItsCards) {
  GroupForecaster forecaster(load_platform("dgx-1v"), "");
  const auto time = [&](const RankGroup& group) {
    return forecaster.predict(Collective::allreduce, group, 64.0 * mib).time.value;
  };
  const double shared = time({{{4, 8}}, 32}), alone = time({{{32, 1}}, 32});
  EXPECT_GT(shared, alone);
  const Description seen = seen_by(load_platform("dgx-1v"), {{{4, 8}}, 32});
  EXPECT_EQ(seen.json()["node"]["ranks_per_node"], 1);
  EXPECT_NEAR(seen.json()["network"]["bandwidth_GBps"]["value"].get<double>(), 11.5 / 2, 1e-9);
}

/// 256 nodes from 32 and 128: within 15 % of the whole forecast, of any size.
TEST(Group, TreesGrowByTheirDepth) {
  GroupForecaster forecaster(load_platform("summit"), "nccl-2.8");
  const RankGroup all{{{384, 1}}, 384};
  const Library library("nccl-2.8", load_platform("summit"), 384);
  for (const double bytes : {5e3, 1e6, 9e6, 40e6}) {
    const double whole = library_time(library, 384, Bytes(bytes)).value;
    EXPECT_NEAR(forecaster.predict(Collective::allreduce, all, Bytes(bytes)).time.value, whole, 0.15 * whole)
        << bytes;
  }
}

/// A framework's control plane goes through host memory, its gradients from device to device: what was asked
/// first does not decide where the other lies.
TEST(Group, ControlAndDataLieInMemoriesOfTheirOwn) {
  const RankGroup all{{{12, 1}}, 12};
  GroupForecaster before(load_platform("summit"), "openmpi-4.0"),
      after(load_platform("summit"), "openmpi-4.0");
  const Seconds control = before.predict_control(Collective::allreduce, all, Bytes(64)).time;
  const Seconds data = after.predict(Collective::allreduce, all, mib).time;
  EXPECT_EQ(before.predict(Collective::allreduce, all, mib).time, data);
  EXPECT_EQ(after.predict_control(Collective::allreduce, all, Bytes(64)).time, control);
  EXPECT_LT(control, after.predict(Collective::allreduce, all, Bytes(64)).time);
}

/// A named algorithm costs what `predict` says of it on as many nodes of the one network.
TEST(Group, AlgorithmsCanBeNamed) {
  const Description testbed = load_platform("testbed");
  GroupForecaster forecaster(testbed, "");
  const RankGroup column{{{4, 2}}, 8};
  const Forecaster four(testbed, 4);
  for (const char* name : {"ring", "rabenseifner"})
    EXPECT_DOUBLE_EQ(
        forecaster.predict(Collective::allreduce, column, mib, name).time.value,
        four.predict(algorithm(Collective::allreduce, name), {.ranks = 4, .message = mib}, engine("path"))
            .time.value)
        << name;
}

/// MPI's messages leave at once, below its limit; NCCL's wait for their receiver. A mebibyte keeps a way of
/// 12.5 MB/s busy for 84 ms.
TEST(Group, MessagesLeaveAsTheirLibrarySendsThem) {
  const RankGroup pair{{{2, 1}}, 8};
  const auto wire = GroupForecaster(load_platform("testbed"), "").departure(pair, mib);
  ASSERT_TRUE(wire.has_value());
  EXPECT_NEAR(wire->occupation(mib).value, 1048576 / 12.5e6, 1e-9);
  EXPECT_FALSE(GroupForecaster(load_platform("dgx-1v"), "").departure(pair, mib).has_value());
}

/// Of one rank, or of nothing, there is nothing to do; what NCCL has no rule for is still forecast.
TEST(Group, KnowsTheRest) {
  GroupForecaster forecaster(load_platform("summit"), "");
  EXPECT_EQ(forecaster.predict(Collective::allreduce, {{}, 6}, mib).time, Seconds());
  EXPECT_EQ(forecaster.predict(Collective::allreduce, {{{6, 1}}, 6}, Bytes()).time, Seconds());
  const RankGroup pair{{{2, 6}}, 12};
  EXPECT_GT(forecaster.predict(Collective::sendrecv, pair, mib).time, Seconds(80e-6));  // 12.42 GB/s at most
  EXPECT_GT(forecaster.predict_control(Collective::gather, {{{12, 1}}, 12}, Bytes(12 * 16)).time, Seconds());
}

}  // namespace
}  // namespace collcast
