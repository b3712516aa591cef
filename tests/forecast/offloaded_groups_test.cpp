// SPDX-License-Identifier: Apache-2.0
#include "forecast/offloaded_groups.hpp"

#include <gtest/gtest.h>

#include "forecast/answer.hpp"
#include "model/critical_path.hpp"
#include "platforms/description/load.hpp"
#include "tests/complaint.hpp"

namespace collcast {
namespace {

using collcast::testing::complaint;

/// There is one price: of everyone it is that of `predict --offload dpu`.
TEST(OffloadedGroups, OfEveryoneAreOneCall) {
  for (const int pieces : {1, 4}) {
    OffloadedGroups groups(load_platform("bluefield-2-cluster"), pieces);
    for (const auto& [collective, name] :
         {std::pair(Collective::alltoall, "alltoall"), {Collective::allreduce, "allreduce"}}) {
      Question q;
      q.collectives = {name};
      q.platforms = {"bluefield-2-cluster"};
      q.ranks = {64};
      q.sizes = {Bytes(65536)};
      q.offload.who = "dpu";
      q.offload.pieces = pieces;
      const Prediction whole = ask(q).rows.at(0).prediction;
      const auto answer = groups.predict(collective, {{{64, 1}}, 64}, Bytes(65536));
      EXPECT_NEAR(answer.time.value, whole.time.value, 1e-12) << name;
      EXPECT_NEAR(answer.low.value, whole.low.value, 1e-9) << name;
      EXPECT_NEAR(answer.high.value, whole.high.value, 1e-9) << name;
    }
  }
}

/// Ranks 0, 1, 8 and 9 of 16, then 2, 3, 10 and 11, ...: each sends to the three others of its group, in the
/// time of one group alone.
TEST(OffloadedGroups, PlayAllGroupsAtOnce) {
  const RankGroup group{{{2, 1}, {2, 8}}, 16};
  const Algorithm& one = algorithm(Collective::alltoall, "pairwise");
  const Algorithm all = by_all_alike(one, group);
  const Call call{.ranks = 4, .message = Bytes(400)};
  const Schedule schedule = all.schedule(call);
  EXPECT_EQ(schedule.ranks, 16);
  std::vector<int> sent(16);
  for_each_step(schedule, true, [&](const Step& step) {
    for (const Transfer& t : step.transfers) {
      EXPECT_EQ(t.from.rank / 2 % 4, t.to.rank / 2 % 4);
      ++sent[static_cast<std::size_t>(t.from.rank)];
    }
    return true;
  });
  EXPECT_EQ(sent, std::vector<int>(16, 3));
  const LogGP m{Seconds(1e-6), {}, {}, SecondsPerByte(1e-9), {}};
  const UniformFabric few(m, 4), many(m, 16);
  EXPECT_DOUBLE_EQ(critical_path(schedule, layout(all, call, schedule), many).time.value,
                   critical_path(one.schedule(call), layout(one, call, one.schedule(call)), few).time.value);
}

/// 32 pairs over two nodes: half of 32 MiB leaves each node through its one port of 11.5 GB/s, after all of
/// it came to the DPU over its link of 12.8 GB/s.
TEST(OffloadedGroups, ShareWhatANodeHas) {
  OffloadedGroups groups(load_platform("bluefield-2-cluster"));
  const double node = 32 * 1048576.0;
  const auto pairs = groups.predict(Collective::alltoall, {{{2, 32}}, 64}, Bytes(1048576));
  EXPECT_GT(pairs.time.value, node / 2 / 11.5e9 + node / 2 / 12.8e9);
  EXPECT_LT(pairs.low, pairs.time);
  EXPECT_GT(pairs.high, pairs.time);
}

TEST(OffloadedGroups, PlayTheAlgorithmThatIsNamed) {
  OffloadedGroups groups(load_platform("bluefield-2-cluster"));
  const RankGroup all{{{64, 1}}, 64};
  for (const char* name : {"rabenseifner", "hierarchical-ring"}) {  // which goes by the ranks of a node
    Question q;
    q.collectives = {"allreduce"};
    q.algorithm = name;
    q.platforms = {"bluefield-2-cluster"};
    q.ranks = {64};
    q.sizes = {Bytes(65536)};
    q.offload.who = "dpu";
    EXPECT_NEAR(groups.predict(Collective::allreduce, all, Bytes(65536), name).time.value,
                ask(q).rows.at(0).prediction.time.value, 1e-12)
        << name;
  }
}

TEST(OffloadedGroups, OfOneOrOfNothingTakeNothing) {
  OffloadedGroups groups(load_platform("bluefield-2-cluster"));
  EXPECT_EQ(groups.predict(Collective::alltoall, {{}, 64}, Bytes(1)).time, Seconds());
  EXPECT_EQ(groups.predict(Collective::alltoall, {{{64, 1}}, 64}, Bytes()).time, Seconds());
}

TEST(OffloadedGroups, NeedADpu) {
  OffloadedGroups groups(load_platform("summit"));
  EXPECT_EQ(complaint([&] {
              groups.predict(Collective::alltoall, {{{6, 1}}, 6}, Bytes(1));
            }),
            "summit has no DPU; bluefield-2-cluster has one");
}

}  // namespace
}  // namespace collcast
