// SPDX-License-Identifier: Apache-2.0
// Messages by levels: shallow, no share twice, and they hold for every number of ranks.
#include <gtest/gtest.h>

#include "forecast/synthesis/front.hpp"
#include "forecast/synthesis/synthesize.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"
#include "support/interrupt.hpp"
#include "tests/complaint.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using testing::complaint;

Group alone(Rank first, Rank count) {
  if (count == 1) return {{first}, {}};
  Group g;
  for (Rank r = first; r < first + count; ++r) g.ranks.push_back(r), g.parts.push_back({{r}, {}});
  return g;
}
Group flat(Rank ranks) {
  return alone(0, ranks);
}
/// Nodes of these numbers of ranks.
Group nodes(const std::vector<Rank>& sizes) {
  Group g;
  for (const Rank size : sizes) {
    g.parts.push_back(alone(static_cast<Rank>(g.ranks.size()), size));
    for (const Rank r : g.parts.back().ranks) g.ranks.push_back(r);
  }
  return g;
}

constexpr Collective all_collectives[] = {
    Collective::allgather, Collective::reduce_scatter, Collective::allreduce, Collective::broadcast,
    Collective::reduce,    Collective::gather,         Collective::scatter,   Collective::alltoall};

/// Of 5 by 2: 3 and 2, of 3: 2 and 1.
TEST(Levels, Refined) {
  const Group g = refined(flat(5), {2});
  ASSERT_EQ(g.parts.size(), 2U);
  EXPECT_EQ(g.parts[0].ranks, (std::vector<Rank>{0, 1, 2}));
  EXPECT_EQ(g.parts[1].ranks, (std::vector<Rank>{3, 4}));
  EXPECT_EQ(g.parts[0].parts[0].ranks, (std::vector<Rank>{0, 1}));
  EXPECT_EQ(levels(g), 3);
  EXPECT_EQ(levels(flat(1)), 0);
}

/// Two GPUs of a node are nearer each other than two of different nodes, for large messages.
TEST(Levels, OfAMachine) {
  const Group g = nearest(Forecaster(load_platform("dgx-a100"), 16).fabric(), Bytes(1 << 20));
  EXPECT_EQ(g, nodes({8, 8}));
  EXPECT_EQ(nearest(Forecaster(load_platform("flat"), 5).fabric(), Bytes(0)), flat(5));
}

/// 0 and 1 | 2 and 3: rank 0 trades with 2, then with 1; each message of the second step carries two shares.
TEST(Levels, AllgatherOfFour) {
  const Listing l = by_levels(refined(flat(4), {2}), Collective::allgather, 0);
  ASSERT_EQ(l.steps.size(), 2U);
  EXPECT_EQ(l.steps[0].size(), 4U);
  EXPECT_EQ(l.steps[0][0].from, 0);
  EXPECT_EQ(l.steps[0][0].to, 2);
  EXPECT_EQ(l.steps[0][0].pieces, (std::vector<Chunk>{{0, 1}}));
  EXPECT_EQ(l.steps[1][0].to, 1);
  EXPECT_EQ(l.steps[1][0].pieces, (std::vector<Chunk>{{0, 1}, {2, 1}}));
}

/// Two nodes of 4, each at once: one message to the other node, then three in the node.
TEST(Levels, TwoNodesTakeTwoSteps) {
  const Listing l = by_levels(refined(nodes({4, 4}), {2, 4}), Collective::allgather, 0);
  ASSERT_EQ(l.steps.size(), 2U);
  EXPECT_EQ(l.steps[0].size(), 8U);
  for (const Listed& m : l.steps[0]) EXPECT_EQ(m.to, (m.from + 4) % 8);
  EXPECT_EQ(l.steps[1].size(), 24U);
  EXPECT_EQ(traffic(schedule(l, 1)).blocks, 8 * 7);
}

/// By two at once as many steps as doublings take, and no share twice.
TEST(Levels, AsFewStepsAsDoublings) {
  for (Rank p = 1; p <= 33; ++p) {
    const Group g = refined(flat(p), {2});
    const Listing gather = by_levels(g, Collective::allgather, 0);
    EXPECT_EQ(gather.steps.size(), static_cast<std::size_t>(log_ceil(p))) << p;
    EXPECT_EQ(traffic(schedule(gather, 1)).blocks, Block{p} * (p - 1)) << p;
    EXPECT_EQ(by_levels(g, Collective::allreduce, 0).steps.size(), static_cast<std::size_t>(log_ceil(p)));
    EXPECT_EQ(traffic(schedule(by_levels(g, Collective::broadcast, p - 1), 1)).messages, p - 1);
  }
}

TEST(Levels, HoldForEveryNumberOfRanks) {
  std::vector<std::pair<Group, std::vector<int>>> cases;
  for (Rank p = 1; p <= 9; ++p)
    for (const int radix : {2, 3, 9}) cases.push_back({flat(p), {radix}});
  cases.push_back({nodes({4, 4, 4}), {2, 2}});
  cases.push_back({nodes({4, 4, 4}), {3, 4}});
  cases.push_back({nodes({3, 1, 2}), {3, 3}});
  cases.push_back({nodes({2, 5}), {2, 2}});
  for (const auto& [group, radices] : cases) {
    const Group g = refined(group, radices);
    const auto ranks = static_cast<Rank>(g.ranks.size());
    for (const Collective c : all_collectives)
      for (int shared = 0; shared <= levels(g); ++shared)
        for (const Rank root : {0, ranks - 1}) {
          std::optional<Listing> l;
          const std::string refused = complaint([&] { l = by_levels(g, c, root, shared); });
          EXPECT_TRUE(refused.empty() || shared > 0) << refused;  // groups that share have to be alike
          if (!l) continue;
          for (const Block segments : {1, 3}) {
            const auto wrong = prove(schedule(*l, segments), c, root);
            EXPECT_FALSE(wrong) << definition(c).name << " of " << ranks << ": " << wrong->words();
          }
        }
  }
}

TEST(Levels, WhatCannotBe) {
  EXPECT_EQ(complaint([] { by_levels(flat(4), Collective::barrier, 0); }),
            "no messages by levels play barrier");
  EXPECT_EQ(complaint([] {
              by_levels(nodes({2, 3}), Collective::allreduce, 0, 1);
            }),
            "groups differ in size");
  EXPECT_EQ(complaint([] { by_levels(flat(4), Collective::allreduce, 0, 2); }),
            "2 levels cannot share: of the groups there are 1");
}

/// On shipped machines, for small and large messages, within the bounds.
TEST(Front, HoldsOnShippedMachines) {
  testing::EachOrOneIn tried(30);
  for (const auto& [platform, least] : {std::pair{"flat", 2}, {"dgx-1v", 2}, {"dgx-a100", 9}})
    for (Rank ranks = least; ranks <= 9; ++ranks) {
      const Forecaster forecaster(load_platform(platform), ranks);
      for (const Collective c : all_collectives) {
        if (!tried()) continue;
        Front front(c, forecaster, definition(c).rooted ? ranks - 1 : 0);
        for (const Bytes size : {Bytes(1 << 10), Bytes(1 << 20)}) {
          const Front::Fastest f = front.fastest(size, engine("path"));
          EXPECT_TRUE(holds(*f.schedule, front.root())) << platform << ' ' << f.schedule->algorithm.name;
          EXPECT_LE(f.prediction.bound.time, f.prediction.time);
        }
      }
    }
}

/// Hockney's machine: two ranks trade, then two pairs; a few bytes take two latencies.
TEST(Front, OfFourRanksOnTheTextbooksMachine) {
  const Forecaster forecaster(load_platform("flat"), 4);
  const double alpha = forecaster.fabric().wire({0}, {1}, Bytes(0)).latency.value;
  Front front(Collective::allreduce, forecaster);
  EXPECT_NEAR(front.fastest(Bytes(4), engine("path")).prediction.time.value, 2 * alpha, 0.01 * alpha);
}

TEST(Front, AnInterruptLeavesTheRest) {
  const Forecaster forecaster(load_platform("dgx-a100"), 16);
  Front front(Collective::allgather, forecaster, 0, 0, [] { return true; });
  ASSERT_EQ(front.notes().size(), 1U);
  EXPECT_EQ(front.notes()[0], "interrupted: what follows is the best of what was made so far");
  EXPECT_TRUE(holds(*front.fastest(Bytes(1 << 20), engine("path")).schedule, 0));
}

/// 1,024 segments of a byte take as long as one of 1,024: all of it is software and latency.
TEST(Front, CutsOnlyWhatGains) {
  const Forecaster forecaster(load_platform("testbed-racks"), 8);
  Front front(Collective::reduce, forecaster);
  EXPECT_EQ(front.fastest(Bytes(1024), engine("contention")).prediction.call.segments, 1);
}

TEST(Front, AnInterruptEndsTheSearchForSegments) {
  const Forecaster forecaster(load_platform("dgx-a100"), 8);
  bool interrupted = false;
  Front front(Collective::allgather, forecaster, 0, 0, [&] { return interrupted; });
  EXPECT_TRUE(front.notes().empty());
  interrupted = true;
  EXPECT_TRUE(holds(*front.fastest(Bytes(1 << 30), engine("contention")).schedule, 0));
  EXPECT_EQ(front.notes().size(), 1U);
}

TEST(Front, RefusesWhatItCannotMake) {
  const Forecaster few(load_platform("flat"), 4), many(load_platform("flat"), 300);
  EXPECT_EQ(
      complaint([&] { Front(Collective::barrier, few); }),
      "there is no method to synthesize barrier; there is one for allgather, reduce-scatter, allreduce, "
      "broadcast, reduce, gather, scatter and alltoall");
  EXPECT_EQ(complaint([&] { Front(Collective::alltoall, few, 0, 2); }),
            "there is no method to synthesize alltoall by trees; there is one for allgather, reduce-scatter, "
            "allreduce, "
            "broadcast and reduce");
  EXPECT_EQ(complaint([&] { Front(Collective::alltoall, many); }),
            "a synthesis takes at most 256 ranks, not 300; `predict` finds the catalogue's fastest for more");
}

}  // namespace
}  // namespace collcast
