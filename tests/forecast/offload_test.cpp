// SPDX-License-Identifier: Apache-2.0
// Collectives that a DPU's cores play while the ranks compute.
#include "forecast/offload.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "engines/player/player.hpp"
#include "engines/simulated.hpp"
#include "model/critical_path.hpp"
#include "model/lowering.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using collcast::testing::complaint;

constexpr Seconds us(double t) {
  return Seconds(t * 1e-6);
}

TEST(Overlap, WithWorkersAllButTheHandoffIsHidden) {
  const Handoff handoff{us(1), us(3)};
  const Overlap as_long = overlap_with_workers(us(10), handoff);
  EXPECT_NEAR(as_long.pure_s, 13e-6, 1e-12);
  EXPECT_NEAR(as_long.compute_s, 13e-6, 1e-12);
  EXPECT_NEAR(as_long.total_s, 14e-6, 1e-12);
  EXPECT_NEAR(as_long.percent(), 100 * (1 - 1. / 13), 1e-9);
  const Overlap shorter = overlap_with_workers(us(10), handoff, us(5));
  EXPECT_NEAR(shorter.total_s, 13e-6, 1e-12);
  EXPECT_NEAR(shorter.percent(), 100 * (1 - 8. / 13), 1e-9);
  const Overlap longer = overlap_with_workers(us(10), handoff, us(100));
  EXPECT_NEAR(longer.total_s, 101e-6, 1e-12);
}

/// Ranks 0 and 1 send to 2 and 3 at once. With a processor for two, the second message is posted after the
/// first; the two arrive that much apart, and are taken each at once.
TEST(Workers, ServeTheirRanksInTurn) {
  const LogGP m{us(5), us(2), {}, {}, {}};
  const UniformFabric machine(m, 4);
  const Schedule schedule{4, 1, 1, [](std::int64_t, Step& step) {
                            step.send(0, 2, {0, 1});
                            step.send(1, 3, {0, 1});
                          }};
  const Layout layout = Layout::equal(Bytes(1), 1);
  for (const auto& [processors, expected] :
       {std::pair(std::vector<Rank>{}, us(9)), std::pair(std::vector<Rank>{0, 1, 2, 3}, us(9)),
        std::pair(std::vector<Rank>{0, 0, 2, 3}, us(11)), std::pair(std::vector<Rank>{0, 1, 2, 2}, us(11)),
        std::pair(std::vector<Rank>{0, 0, 2, 2}, us(11))}) {
    const HomeFabric fabric(machine, Memory::device, processors);
    EXPECT_NEAR(critical_path(schedule, layout, fabric).time.value, expected.value, 1e-15);
    EXPECT_NEAR(play(*program(schedule, layout), fabric).time.value, expected.value, 1e-15);
    if (can_simulate()) {
      EXPECT_NEAR(simulate_program(*program(schedule, layout), fabric).time.value, expected.value, 1e-12);
    }
  }
}

/// So do their reductions follow one another.
TEST(Workers, ReduceInTurn) {
  const LogGP m{us(5), {}, {}, {}, SecondsPerByte(1e-6)};
  const UniformFabric machine(m, 4);
  const Schedule schedule{4, 1, 1, [](std::int64_t, Step& step) {
                            step.send(0, 2, {0, 1}, Combine::reduce);
                            step.send(1, 3, {0, 1}, Combine::reduce);
                          }};
  const Layout layout = Layout::equal(Bytes(10), 1);
  for (const auto& [processors, expected] :
       {std::pair(std::vector<Rank>{}, us(15)), std::pair(std::vector<Rank>{0, 1, 2, 2}, us(25))}) {
    const HomeFabric fabric(machine, Memory::device, processors);
    EXPECT_NEAR(critical_path(schedule, layout, fabric).time.value, expected.value, 1e-15);
    EXPECT_NEAR(play(*program(schedule, layout), fabric).time.value, expected.value, 1e-15);
  }
}

TEST(Staged, EveryAlgorithmStillComputesItsCollective) {
  for (const Algorithm* a : catalogue())
    for (const Rank ranks : {1, 2, 4, 6}) {
      if (!a->supports(ranks)) continue;
      const Call call{.ranks = ranks, .message = Bytes(4096), .segments = a->segmented ? 3 : 1};
      const auto wrong = prove(on_dpu(*a).schedule(call), a->collective, call.root);
      EXPECT_FALSE(wrong) << full_name(*a) << ", " << ranks << " ranks: " << wrong->words();
    }
}

/// Nodes of four ranks on one socket, with a DPU that is its equal: as near to the adapter, with the same
/// cores, memory and software. Handing over costs nothing, copies take their links' time.
Description twins() {
  Json json = load_platform("bluefield-2-cluster").json();
  json["node"]["vertices"].erase("cpu1");
  json["node"]["vertices"]["dpu0"]["device"] = "Xeon-E5-2697Av4";
  json["node"]["links"] = Json::array();
  for (const auto& [from, to, kind] : {std::tuple("cpu0", "bluefield", "pcie3-x16"),
                                       {"dpu0", "bluefield", "pcie3-x16"},
                                       {"nic0", "bluefield", "pcie3-x16"},
                                       {"cpu0", "cpu0", "shared-memory"},
                                       {"dpu0", "dpu0", "shared-memory"}})
    json["node"]["links"].push_back({{"between", {from, to}}, {"kind", kind}});
  json["node"]["ranks_on"] = {"cpu0"};
  json["node"]["ranks_per_node"] = 4;
  for (const char* key : {"dpu_copy", "offload"}) json["software"].erase(key);
  for (const char* where : {"in_node", "between_nodes"}) json["software"][where].erase("dpu");
  return {"twins", "twins.json", json};
}

/// The ends of an interval hand over as their machines do.
TEST(Dpu, AHandoffIsAsUncertainAsItIsSaidToBe) {
  Json json = load_platform("bluefield-2-cluster").json();
  json["software"]["offload"]["handoff_us"] = {
      {"value", 1000}, {"low", 500}, {"high", 4000}, {"source", "x"}, {"stamp", "guess"}};
  const Description d("slow to hand over", "slow.json", json);
  const Prediction p = predict_offloaded(Forecaster(d, 2, Placement::block, Memory::device, 8),
                                         on_dpu(algorithm(Collective::allreduce, "ring")),
                                         {.ranks = 2, .message = Bytes(8)}, engine("path"), {})
                           .prediction;
  EXPECT_NEAR(p.time.value, 1000e-6, 100e-6);
  EXPECT_NEAR(p.low.value, 500e-6, 100e-6);
  EXPECT_NEAR(p.high.value, 4000e-6, 100e-6);
}

TEST(Dpu, EqualToTheHostItTakesTheHostsTimeAndTheCopies) {
  const Description d = twins();
  const Forecaster host(d, 16), dpu(d, 16, Placement::block, Memory::device, 4);
  const Bytes n(1e6);
  const double copy = 2 * 0.3e-6 + n.value / 12e9;           // two PCIe links
  for (const char* name : {"ring", "recursive-doubling"}) {  // no port that ranks share sets their time
    const Algorithm& a = algorithm(Collective::allreduce, name);
    const Call call{.ranks = 16, .message = n};
    const double own = host.predict(a, call, engine("path")).time.value;
    EXPECT_NEAR(predict_offloaded(dpu, on_dpu(a), call, engine("path"), {}).prediction.time.value,
                own + 2 * copy, 1e-9 * own)
        << name;
  }
}

/// Two ranks on two nodes: a copy in, a message and a copy out each, in 3 steps; of 4 pieces in 3 + 3.
TEST(Dpu, PiecesFollowEachOtherAStepBehind) {
  const Algorithm& a = algorithm(Collective::alltoall, "pairwise");
  const Call call{.ranks = 2, .message = Bytes(1 << 20)};
  const auto count = [&](const Schedule& s) {
    std::vector<std::size_t> messages;
    for_each_step(s, true, [&](const Step& step) {
      messages.push_back(step.transfers.size());
      return true;
    });
    return messages;
  };
  EXPECT_EQ(count(on_dpu(a).schedule(call)), (std::vector<std::size_t>{2, 2, 2}));
  EXPECT_EQ(count(on_dpu(a, 4).schedule(call)), (std::vector<std::size_t>{2, 4, 6, 6, 4, 2}));
}

/// Written into the ranks' own memory: the copies out are spared where nobody passes on what came, which is
/// so of alltoall by pairs, and not of ring allgather.
TEST(Dpu, DirectDeliveryCopiesNothingOut) {
  const auto steps = [](Collective what, const char* name, bool direct) {
    const Call call{.ranks = 2, .message = Bytes(1 << 20)};
    return on_dpu(algorithm(what, name), 1, direct).schedule(call).steps;
  };
  EXPECT_EQ(steps(Collective::alltoall, "pairwise", false), 3);
  EXPECT_EQ(steps(Collective::alltoall, "pairwise", true), 2);
  const Call four{.ranks = 4, .message = Bytes(1 << 20)};
  for (const auto& [what, name] :
       {std::pair{Collective::alltoall, "pairwise"}, {Collective::allgather, "ring"}}) {
    const Algorithm direct = on_dpu(algorithm(what, name), 1, true);
    const auto wrong = prove(direct.schedule(four), what, 0);
    EXPECT_FALSE(wrong) << name << ": " << wrong->words();
  }
  EXPECT_EQ(on_dpu(algorithm(Collective::allgather, "ring"), 1, true).schedule(four).steps,
            on_dpu(algorithm(Collective::allgather, "ring")).schedule(four).steps);
}

/// Two twins on two nodes: a copy to the DPU, and a message from it to the other rank: as long as a copy and
/// the ranks' own message.
TEST(Dpu, DirectDeliveryTakesACopyAndAMessage) {
  Description d = twins();
  set_all(d, {"node.ranks_per_node=1"});
  const Forecaster host(d, 2), dpu(d, 2, Placement::block, Memory::device, 4);
  const Call call{.ranks = 2, .message = Bytes(1 << 20)};
  const Algorithm& a = algorithm(Collective::alltoall, "pairwise");
  const double own = host.predict(a, call, engine("path")).time.value;
  const double staged = dpu.predict(on_dpu(a), call, engine("path")).time.value;
  const double direct = dpu.predict(on_dpu(a, 1, true), call, engine("path")).time.value;
  EXPECT_NEAR(direct - own, (staged - own) / 2, 1e-9 * own);
}

TEST(Dpu, PiecesStillComputeTheirCollective) {
  for (const Collective collective : {Collective::allreduce, Collective::broadcast, Collective::reduce})
    for (const Algorithm* a : common_algorithms(collective))
      for (const Rank ranks : {2, 4, 6}) {
        if (!a->supports(ranks)) continue;
        const Call call{.ranks = ranks, .message = Bytes(4096), .segments = a->segmented ? 3 : 1};
        const auto wrong = prove(on_dpu(*a, 3).schedule(call), a->collective, call.root);
        EXPECT_FALSE(wrong) << full_name(*a) << ", " << ranks << " ranks: " << wrong->words();
      }
}

/// 16 ranks a node, each with 16 MiB: what the link into the DPU's memory carries, all of it and three
/// quarters again, at 12.8 GB/s, is no lower for pieces; the time comes near it.
TEST(Dpu, PiecesFillTheLinkToTheDpu) {
  Description d = load_platform("bluefield-2-cluster");
  set_all(d, {"node.ranks_per_node=16"});
  const Forecaster dpu(d, 64, Placement::block, Memory::device, 8);
  const Algorithm& a = algorithm(Collective::alltoall, "linear");
  const Call call{.ranks = 64, .message = Bytes(16777216)};
  const double link = 16 * 16777216 * 1.75 / 12.8e9;
  double before = HUGE_VAL;
  for (const int pieces : {1, 2, 4, 8, 16}) {
    const double now = dpu.predict(on_dpu(a, pieces), call, engine("contention")).time.value;
    EXPECT_GT(now, link) << pieces;
    EXPECT_LT(now, before) << pieces;
    before = now;
  }
  EXPECT_LT(before, 1.15 * link);
}

TEST(Dpu, MoreWorkersAreNeverSlower) {
  testing::EachOrOneIn tried(10);
  const Description d = load_platform("bluefield-2-cluster");
  std::vector<std::pair<int, std::unique_ptr<Forecaster>>> dpus;
  for (const int workers : {1, 2, 4, 8})
    dpus.emplace_back(workers,
                      std::make_unique<Forecaster>(d, 64, Placement::block, Memory::device, workers));
  for (const Collective collective : {Collective::alltoall, Collective::allreduce, Collective::broadcast})
    for (const Algorithm* a : common_algorithms(collective))
      for (const double message : {64.0, 4096.0, 1048576.0}) {
        if (!a->supports(64) || !tried()) continue;
        const Algorithm offloaded = on_dpu(*a);
        const Call call{
            .ranks = 64, .message = Bytes(message), .segments = a->segmented ? 4 : 1, .ranks_per_node = 32};
        double before = HUGE_VAL;
        for (const auto& [workers, dpu] : dpus) {
          const double now = dpu->predict(offloaded, call, engine("path")).time.value;
          EXPECT_LE(now, before * (1 + 1e-9)) << full_name(*a) << ", " << workers << " workers, " << message;
          before = now;
        }
      }
}

TEST(Dpu, SimGridIsNeverFaster) {
  if (!can_simulate()) GTEST_SKIP() << "built without SimGrid";
  const Forecaster dpu(load_platform("bluefield-2-cluster"), 64, Placement::block, Memory::device, 4);
  const Algorithm a = on_dpu(algorithm(Collective::alltoall, "pairwise"));
  for (const double message : {4096.0, 1048576.0}) {
    const Call call{.ranks = 64, .message = Bytes(message)};
    EXPECT_GE(dpu.predict(a, call, engine("simgrid")).time.value,
              dpu.predict(a, call, engine("path")).time.value * (1 - 1e-3));
  }
}

TEST(Dpu, IsRefusedWhereThereIsNone) {
  EXPECT_EQ(complaint([] { Forecaster(load_platform("summit"), 12, Placement::block, Memory::device, 1); }),
            "summit has no DPU; bluefield-2-cluster has one");
  EXPECT_EQ(complaint([] {
              Forecaster(load_platform("bluefield-2-cluster"), 64, Placement::block, Memory::device, 9);
            }),
            "the DPU of a node of bluefield-2-cluster has 1 to 8 cores for workers, not 9");
}

TEST(Host, HidesOnlyWhatItBeganBeforeItComputed) {
  const Forecaster host(load_platform("bluefield-2-cluster"), 64);
  const Algorithm& ring = algorithm(Collective::allgather, "ring");
  const Call call{.ranks = 64, .message = Bytes(1 << 16)};  // eager
  const auto [prediction, overlap] = predict_overlapped(host, ring, call, {});
  EXPECT_NEAR(prediction.time.value, overlap.pure_s, 1e-12 * overlap.pure_s);
  EXPECT_GT(overlap.percent(), 0);
  EXPECT_LT(overlap.percent(), 5);  // the first of 63 steps
}

}  // namespace
}  // namespace collcast
