// SPDX-License-Identifier: Apache-2.0
// Nothing is faster than the lower bounds of its collective, on any machine that ships.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>

#include "algorithms/catalogue.hpp"
#include "engines/simulated.hpp"
#include "forecast/library.hpp"
#include "model/bounds/cut_graphs.hpp"
#include "model/critical_path.hpp"
#include "model/lowering.hpp"
#include "model/slowest_path.hpp"
#include "platforms/description/load.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace literals;

/// The shipped ones, and one whose software is slower than its links, which several senders share.
std::vector<Description> platforms() {
  std::vector<Description> all;
  for (const std::string& name : shipped_platforms()) all.push_back(load_platform(name));
  all.push_back(load_platform("edr-cluster"));
  set_all(all.back(), {"software.between_nodes.device.bandwidth_GBps=1"});
  return all;
}

double simulated(const Algorithm& a, const Call& call, const Fabric& fabric) {
  const Schedule schedule = a.schedule(call);
  return simulate_program(*program(schedule, layout(a, call, schedule)), fabric).time.value;
}

/// What any engine that knows contention says at least: the critical path, and the bytes of the most loaded
/// link after the quickest of messages.
double at_least(const Algorithm& a, const Call& call, const Fabric& fabric) {
  const Schedule schedule = a.schedule(call);
  const Layout sizes = layout(a, call, schedule);
  std::vector<double> busy(fabric.links().size());
  std::vector<LinkId> route;
  for_each_step(schedule, true, [&](const Step& step) {
    for (const Transfer& t : step.transfers) {
      route.clear();
      fabric.route(t.from, t.to, route);
      for (const LinkId l : route) busy[l] += (sizes.size(step, t) / fabric.links()[l].bandwidth).value;
    }
  });
  double quickest = HUGE_VAL;
  for (Rank from = 0; from < call.ranks; ++from)
    for (Rank to = 0; to < call.ranks; ++to)
      for (const Bytes bytes : fabric.sizes())
        if (from != to) quickest = std::min(quickest, alpha(fabric.wire(from, to, bytes)).value);
  return std::max(critical_path(schedule, sizes, fabric).time.value, quickest + std::ranges::max(busy));
}

TEST(Bound, NoAlgorithmBeatsIt) {
  testing::EachOrOneIn wanted(3), tried(10, 4);
  for (const Description& platform : platforms()) {
    if (!wanted()) continue;
    for (const Rank ranks : {3, 8}) {
      if (ranks > max_ranks(platform)) continue;
      const Forecaster forecaster(platform, ranks);
      const Rank node = forecaster.ranks_per_node();
      for (const Algorithm* a : catalogue()) {
        if (!a->supports(ranks) || !forecaster.lacks(*a).empty() || !tried()) continue;
        const Demands d = demands(*a);
        for (const Bytes message : {1000_B, 4_MiB}) {
          const Call call{.ranks = ranks, .message = message, .ranks_per_node = ranks % node ? 1 : node};
          const Bound bound = forecaster.lower_bound(*a, call);
          EXPECT_FALSE(bound.cut.empty());
          // Of what switches replicate or reduce only SimGrid knows which links carry it.
          const bool switched = d.multicast || d.reduction;
          if (switched && !can_simulate()) continue;
          const double time =
              switched ? simulated(*a, call, forecaster.fabric()) : at_least(*a, call, forecaster.fabric());
          EXPECT_GE(time, bound.time.value * (1 - 1e-9))
              << full_name(*a) << " on " << platform.name() << ", " << ranks << " ranks, " << message.value
              << " bytes: " << bound.cut;
        }
      }
    }
  }
}

Bound bound(const std::string& platform, const std::vector<std::string>& with, Rank ranks,
            Collective collective, const std::string& name, Bytes message,
            const Placement& placement = Placement::block) {
  Description d = load_platform(platform);
  set_all(d, with);
  const Forecaster forecaster(d, ranks, placement);
  return forecaster.lower_bound(algorithm(collective, name), {.ranks = ranks, .message = message});
}

/// NCCL's is the latency of links and switches: no software of MPI's, no sums, but more than bytes on links.
TEST(Bound, OfNcclIsThatOfLinksAndSwitches) {
  const Description d = load_platform("dgx-h100");
  const Call call{.ranks = 64, .message = 8_B};
  const Library nccl("nccl-2.18", d, 64), mpi("fastest", d, 64);
  const Prediction p = nccl.predict(Collective::allreduce, call, engine("path")).prediction;
  const Bound of_mpi = mpi.forecaster().lower_bound(*p.algorithm, call);
  EXPECT_GT(p.bound.time.value, 1e-6);
  EXPECT_LT(p.bound.time, of_mpi.time);
  EXPECT_GE(p.low, p.bound.least);
}

/// A link that the user set is exact: no end of the machine's uncertainty is faster.
TEST(Bound, LimitsAnIntervalAtBothEnds) {
  Description d = load_platform("dgx-h100");
  set_all(d, {"node.link_kinds.nvlink4.bandwidth_GBps=10"});
  for (const char* policy : {"nccl-2.18:algo=Ring", "fastest"}) {
    const Library library(policy, d, 8);
    const Algorithm& ring = algorithm(Collective::allreduce, "ring");
    const Prediction p = library.predict(ring, {.ranks = 8, .message = 1024_MiB}, engine("path")).prediction;
    EXPECT_NEAR(p.bound.least / p.bound.time, 1, 1e-3) << policy;  // but for latencies
    EXPECT_GE(p.low, p.bound.least) << policy;
    EXPECT_GE(p.high, p.bound.most) << policy;
  }
}

/// At each end of what a port is uncertain by, contention answers within the interval.
TEST(Bound, AnIntervalHoldsWhatLimitsIt) {
  const Description d = load_platform("dgx-h100");
  const auto predicted = [](const Description& on) {
    const Library library("nccl-2.18:algo=Tree,proto=LL128", on, 32);
    const Bytes message = testing::all_or_one_in(16, 64) * 1_MiB;
    return library.predict(Collective::allreduce, {.ranks = 32, .message = message}, engine("contention"))
        .prediction;
  };
  const Prediction p = predicted(d);
  int tried = 0;
  for (const Description& end : {optimistic(d), pessimistic(d)})
    for (const Parameter& q : end.parameters())
      if (q.path == "network.bandwidth_GBps") {
        Description with = d;
        set_all(with, {q.path + "=" + std::to_string(q.value)});
        const Seconds time = predicted(with).time;
        EXPECT_GE(time.value, p.low.value * (1 - 1e-6));
        EXPECT_LE(time.value, p.high.value * (1 + 1e-6));
        ++tried;
      }
  EXPECT_EQ(tried, 2);
}

/// But for the latency of one message: 2 x 7/8 of 1 GB over the 450 GB/s of each GPU's NVLinks; with switches
/// that reduce, each GPU sends 1 GB once.
TEST(Bound, OfAnAllreduceOnOneNodeIsThatOfItsNvlinks) {
  const Bytes message(1e9);
  const Bound ring = bound("dgx-h100", {}, 8, Collective::allreduce, "ring", message);
  EXPECT_NEAR(ring.time.value, 1.75 * 1e9 / 450e9, 2e-5);
  EXPECT_EQ(ring.cut.find(
                "7 of 8 ranks send the message, then as many receive it: 3600 GB/s of all ranks together"),
            0u)
      << ring.cut;
  const Bound nvls = bound("dgx-h100", {}, 8, Collective::allreduce, "nvls", message);
  EXPECT_NEAR(nvls.time.value, 1e9 / 450e9, 2e-5);
}

/// 24 of 32 ranks have 3/4 of 1 GB for the fourth node, whose four ports take 11.5 GB/s each.
TEST(Bound, OfAnAllgatherBetweenNodesIsThatOfTheirPorts) {
  const Bound b = bound("dgx-1v", {}, 32, Collective::allgather, "ring", Bytes(1e9));
  EXPECT_NEAR(b.time.value, 0.75 * 1e9 / 46e9, 1e-5);
  EXPECT_NE(b.cut.find("node 0: node 0 NIC 0"), std::string::npos) << b.cut;
  EXPECT_NE(b.cut.find("46.0 GB/s together"), std::string::npos) << b.cut;
}

/// Of 16 x 16 pairs 8 x 8 cross from node to node, each with 1 GB / 16, over four ports of 11.5 GB/s.
TEST(Bound, OfAnAlltoallCountsThePairsThatCross) {
  const Bound b = bound("dgx-1v", {}, 16, Collective::alltoall, "pairwise", Bytes(1e9));
  EXPECT_NEAR(b.time.value, 4e9 / 46e9, 1e-5);
}

/// Of two groups of six ranks, 6 x 6 pairs cross the one cable, each with 1 GB / 12.
TEST(Bound, OfADragonflyKnowsItsGroups) {
  const Bound b =
      bound("edr-cluster",
            {"max_nodes=30", "network.kind=dragonfly", "network.groups=5", "network.switches_per_group=3",
             "network.nodes_per_switch=2", "network.global_bandwidth_GBps=3"},
            12, Collective::alltoall, "pairwise", Bytes(1e9));
  EXPECT_NEAR(b.time.value, 1, 1e-4) << b.cut;
}

/// Between the halves of a torus across its longer side go two links of each ring, of 9 GB/s, for half of the
/// ranks times half of the ranks; part of one that no route goes round has one.
TEST(Bound, OfATorusKnowsItsHalves) {
  for (const auto& [dimensions, nodes, ranks, links] : {std::tuple{"8,8", 64, 64, 16},
                                                        {"16,32", 512, 512, 32},
                                                        {"4,2,40", 320, 160, 8},
                                                        {"2,100", 200, 200, 4}}) {
    const std::vector<std::string> settings = {"max_nodes=" + std::to_string(nodes), "network.kind=torus",
                                               std::string("network.dimensions=") + dimensions,
                                               "network.link_bandwidth_GBps=9"};
    const Bound b = bound("edr-cluster", settings, ranks, Collective::alltoall, "pairwise", Bytes(1e9));
    EXPECT_NEAR(b.time.value, ranks * 1e9 / 4 / (links * 9e9), 1e-5) << dimensions << ": " << b.cut;
  }
}

/// A message that is read by nobody's port twice: the root sends it once, whoever passes it on.
TEST(Bound, OfABroadcastIsItsNarrowestWay) {
  const Bound b = bound("edr-cluster", {}, 8, Collective::broadcast, "chain", Bytes(1e9));
  EXPECT_NEAR(b.time.value, 1e9 / 11.5e9, 1e-5) << b.cut;
}

TEST(Bound, OfSmallMessagesIsTheLatencyOfTheWay) {
  const Bound near = bound("dgx-h100", {}, 8, Collective::broadcast, "knomial", 8_B);
  const Bound far = bound("dgx-h100", {}, 64, Collective::broadcast, "knomial", 8_B);
  EXPECT_EQ(near.cut, "latency of one message");
  EXPECT_EQ(far.cut.find("latency from rank 0 to rank "), 0u) << far.cut;
  // A slower NVLink makes a broadcast no faster; ranks still reach each other by the adapters.
  const std::vector<std::string> slow = {"node.link_kinds.nvlink4.latency_us=1000"};
  const Forecaster forecaster(
      [&] {
        Description d = load_platform("dgx-h100");
        set_all(d, slow);
        return d;
      }(),
      16);
  for (const Algorithm* a : common_algorithms(Collective::broadcast)) {
    const Call call{.ranks = 16, .message = 1_MiB, .ranks_per_node = 8};
    const Prediction p = forecaster.predict(*a, call, engine("path"));
    EXPECT_GE(p.time.value, p.bound.time.value) << full_name(*a);
  }
}

/// All of Summit: a few representatives stand for 27,648 ranks.
TEST(Bound, OfManyRanksIsFoundByTheirNodes) {
  const Rank nodes = testing::all_or_one_in(24, 4608), ranks = 6 * nodes;
  const Bound large = bound("summit", {}, ranks, Collective::allreduce, "ring", Bytes(1e9));
  EXPECT_NEAR(large.time.value, 2e9 * (nodes - 1) / nodes / 24.84e9, 1e-5)
      << large.cut;  // two ports of 12.42 GB/s a node
  const Bound small = bound("summit", {}, ranks, Collective::allreduce, "ring", 8_B);
  EXPECT_EQ(small.cut, "latency of one message between nodes");
  EXPECT_GT(small.time.value, 1e-6);
}

/// Machines that differ in what their links carry share the search; in other ranks, they do not.
TEST(Bound, IsTheSameWhateverMachinesWereAskedBefore) {
  const auto shared = std::make_shared<SharedCutGraphs>();
  std::set<std::string> cuts;
  for (const char* const platform : {"summit", "dgx-h100", "p40-node"})
    for (const Rank ranks : {8, 14})
      for (const char* const bandwidth : {"2", "50", "9", "0.5", "200", "12"}) {
        Description d = load_platform(platform);
        if (ranks > max_ranks(d)) continue;
        if (d.name() != "p40-node") set_all(d, {std::string("network.bandwidth_GBps=") + bandwidth});
        const Forecaster alone(d, ranks),
            after(d, ranks, Placement::block, Memory::device, 0, std::nullopt, shared);
        for (const auto& [collective, name] : {std::pair(Collective::allgather, "ring"),
                                               {Collective::reduce_scatter, "ring"},
                                               {Collective::allreduce, "ring"},
                                               {Collective::broadcast, "knomial"}}) {
          const Call call{.ranks = ranks, .message = 64_MiB};
          const Bound one = alone.lower_bound(algorithm(collective, name), call),
                      other = after.lower_bound(algorithm(collective, name), call);
          EXPECT_EQ(one.time, other.time) << platform << bandwidth << name;
          EXPECT_EQ(one.cut, other.cut) << platform << bandwidth << name;
          cuts.insert(one.cut.substr(0, one.cut.rfind(',')));
        }
      }
  EXPECT_GT(cuts.size(), 8u);
}

}  // namespace
}  // namespace collcast
