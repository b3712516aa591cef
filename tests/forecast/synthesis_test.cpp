// SPDX-License-Identifier: Apache-2.0
// Spanning trees are packed as densely as the worst cut allows, and what they make holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

#include "algorithms/exchange/msccl.hpp"
#include "forecast/synthesis/earliest.hpp"
#include "forecast/synthesis/front.hpp"
#include "forecast/synthesis/gap.hpp"
#include "forecast/synthesis/growing.hpp"
#include "forecast/synthesis/packing.hpp"
#include "forecast/synthesis/schedule_in_xml.hpp"
#include "forecast/synthesis/synthesis.hpp"
#include "forecast/synthesis/synthesize.hpp"
#include "libraries/segments.hpp"
#include "libraries/transport.hpp"
#include "model/path_result.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using testing::complaint;

void join(Wiring& w, int a, int b, std::int64_t capacity) {
  w(a, b) += capacity;
  w(b, a) += capacity;
}

/// Double NVLinks form the ring 0-3-2-1-5-6-7-4; the others are single.
void nvlinks_of_dgx_1v(Wiring& w, Rank first) {
  const int links[][3] = {{0, 1, 25}, {0, 2, 25}, {0, 3, 50}, {0, 4, 50}, {1, 2, 50}, {1, 3, 25},
                          {1, 5, 50}, {2, 3, 50}, {2, 6, 25}, {3, 7, 25}, {4, 5, 25}, {4, 6, 25},
                          {4, 7, 50}, {5, 6, 50}, {5, 7, 25}, {6, 7, 50}};
  for (const auto& [a, b, capacity] : links) join(w, first + a, first + b, capacity);
}

/// Pairs of GPUs share a PCIe switch with one port of 12.5 GB/s; all ports meet in one switch. Units: 0.5
/// GB/s.
Wiring dgx_1v(int nodes) {
  if (nodes == 1) {
    Wiring w(8, 0);
    nvlinks_of_dgx_1v(w, 0);
    return w;
  }
  Wiring half(8 * nodes, 4 * nodes + 1);
  for (int node = 0; node < nodes; ++node) {
    nvlinks_of_dgx_1v(half, 8 * node);
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b) half(8 * node + a, 8 * node + b) *= 2;
    for (int gpu = 0; gpu < 8; ++gpu) join(half, 8 * node + gpu, 8 * nodes + 4 * node + gpu / 2, 32);
    for (int port = 0; port < 4; ++port) join(half, 8 * nodes + 4 * node + port, 12 * nodes, 25);
  }
  half.unit = BytesPerSecond(0.5);
  return half;
}

/// Each GPU has `inside` to its node's switch and `outside` to one switch for all.
Wiring boxes(int nodes, std::int64_t inside, std::int64_t outside) {
  Wiring w(8 * nodes, nodes + (nodes > 1));
  for (int gpu = 0; gpu < 8 * nodes; ++gpu) {
    join(w, gpu, 8 * nodes + gpu / 8, inside);
    if (nodes > 1) join(w, gpu, 9 * nodes, outside);
  }
  return w;
}

/// Nodes of 16 halves of MI250 with links of 50 GB/s, and 16 GB/s of each to one switch:
/// liangyuRain/ForestColl fc693e2, topologies.py.
Wiring mi250(int nodes) {
  const int links[][3] = {{0, 1, 4},   {0, 4, 2},   {0, 8, 1},   {1, 5, 1},   {1, 9, 1},   {1, 10, 1},
                          {2, 3, 4},   {2, 6, 1},   {2, 9, 1},   {2, 10, 1},  {3, 7, 2},   {3, 11, 1},
                          {4, 5, 4},   {4, 6, 1},   {5, 6, 1},   {5, 7, 1},   {6, 7, 4},   {8, 9, 4},
                          {8, 12, 2},  {9, 13, 1},  {10, 11, 4}, {10, 14, 1}, {11, 15, 2}, {12, 13, 4},
                          {12, 14, 1}, {13, 14, 1}, {13, 15, 1}, {14, 15, 4}};
  Wiring w(16 * nodes, nodes > 1);
  for (int node = 0; node < nodes; ++node) {
    for (const auto& [a, b, count] : links) join(w, 16 * node + a, 16 * node + b, 50 * count);
    for (int gpu = 0; nodes > 1 && gpu < 16; ++gpu) join(w, 16 * node + gpu, 16 * nodes, 16);
  }
  return w;
}

/// Two nodes of 16 GPUs with 125 GB/s to their switch; every other one sends 12.5 GB/s to the next one's
/// place on the other node, as TACCL and TE-CCL have it. Units: 0.5 GB/s.
Wiring dgx_2() {
  Wiring w(32, 2);
  for (int gpu = 0; gpu < 32; ++gpu) {
    join(w, gpu, 32 + gpu / 16, 250);
    if (gpu % 2 == 0) w(gpu, (gpu + 17) % 32) = 25;
  }
  w.unit = BytesPerSecond(0.5);
  return w;
}

std::vector<std::int64_t> everyone(const Wiring& w) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(w.ranks()), 1);
}

/// Of an allgather: bytes per second that all ranks receive together, in the wiring's units.
double bandwidth(const Wiring& w, const Packed& p) {
  return w.ranks() * static_cast<double>(p.forest.trees_per_root) / p.time * w.unit.value;
}

struct Row {
  const char* name;
  Wiring wiring;
  std::int64_t trees;
  double bandwidth;
};

/// Rows whose links are published, in GB/s; ForestColl's own program gives the same where it was run.
TEST(Packing, ReachesTheWorstCut) {
  const Row rows[] = {{"DGX-1V", dgx_1v(1), 0, 8 * 150.0 / 7},
                      {"two DGX-1V", dgx_1v(2), 0, 100},
                      {"four DGX-1V", dgx_1v(4), 0, 32 * 50 / 24.0},
                      {"two DGX-2", dgx_2(), 0, 32 * 125 / 31.0},
                      {"DGX-A100", boxes(1, 300, 0), 0, 8 * 300 / 7.0},
                      {"two DGX-A100", boxes(2, 300, 25), 0, 16 * 65 / 3.0},
                      {"four DGX-A100", boxes(4, 300, 25), 0, 32 * 25 / 3.0},
                      {"DGX-H100", boxes(1, 450, 0), 0, 8 * 450 / 7.0},
                      {"two DGX-H100", boxes(2, 450, 50), 0, 16 * 100 / 3.0},
                      {"MI250", mi250(1), 0, 16 * 150 / 7.0},
                      {"two MI250", mi250(2), 83, 32 * 166 / 15.0},
                      // One tree a root: as ForestColl's program found.
                      {"MI250, one tree", mi250(1), 1, 266.667},
                      {"two MI250, one tree", mi250(2), 1, 320},
                      {"DGX-1V, one tree", dgx_1v(1), 1, 133.333},
                      {"two DGX-A100, one tree", boxes(2, 300, 25), 1, 342.857}};
  for (const Row& row : rows) {
    const Packed p = pack(row.wiring, everyone(row.wiring), row.trees);
    EXPECT_NEAR(bandwidth(row.wiring, p), row.bandwidth, 1e-5 * row.bandwidth) << row.name;
    EXPECT_FALSE(prove(schedule(p.forest, Collective::allgather, 0, 1), Collective::allgather)) << row.name;
  }
}

TEST(Packing, TheWorstCutOfLargeMachines) {
  const auto bandwidth = [](const Wiring& w) { return w.ranks() / worst_cut(w, everyone(w)).value(); };
  EXPECT_NEAR(bandwidth(boxes(4, 450, 50)), 32 * 500 / 31.0, 1e-9);
  EXPECT_NEAR(bandwidth(boxes(16, 450, 50)), 128 * 10 / 3.0, 1e-9);
}

TEST(Packing, TheSameTreesServeSums) {
  const Forest forest = pack(dgx_1v(1), everyone(dgx_1v(1))).forest;
  for (const Collective c : {Collective::reduce_scatter, Collective::allreduce})
    for (const Block segments : {1, 3}) EXPECT_FALSE(prove(schedule(forest, c, 0, segments), c));
}

/// Edmonds: as many trees from one root as its worst cut has links; six NVLinks.
TEST(Packing, FromOneRoot) {
  std::vector<std::int64_t> shares(8);
  shares[3] = 1;
  const Packed p = pack(dgx_1v(1), shares);
  EXPECT_EQ(p.forest.trees_per_root, 6);
  EXPECT_NEAR(static_cast<double>(p.forest.trees_per_root) / p.time, 150, 1e-9);
  for (const Collective c : {Collective::broadcast, Collective::reduce})
    EXPECT_FALSE(prove(schedule(p.forest, c, 3, 2), c, 3));
}

/// Trees together send no more over a link than it carries in their time.
TEST(Packing, KeepsToTheLinks) {
  const Wiring w = dgx_1v(1);
  const Packed p = pack(w, everyone(w));
  std::map<std::pair<Rank, Rank>, std::int64_t> sent;
  for (const Tree& tree : p.forest.trees)
    for (const auto& [from, to] : tree.edges) sent[{from, to}] += tree.count;
  for (const auto& [ends, count] : sent)
    EXPECT_LE(static_cast<double>(count),
              p.time * static_cast<double>(w(ends.first, ends.second)) * (1 + 1e-9));
}

/// The bandwidth out of any vertices with just these ranks, the narrowest.
std::int64_t out_of(const Wiring& w, int ranks) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int switches = 0; switches < 1 << (w.vertices() - w.ranks()); ++switches) {
    const int inside = ranks | switches << w.ranks();
    std::int64_t out = 0;
    for (int u = 0; u < w.vertices(); ++u)
      for (int v = 0; v < w.vertices(); ++v)
        if (inside >> u & 1 && !(inside >> v & 1)) out += w(u, v);
    least = std::min(least, out);
  }
  return least;
}

/// The time of the worst of all parts that the ranks from `first` on can fall into or join.
double worst_of_all(const Wiring& w, std::vector<int>& parts, Rank first) {
  if (first == w.ranks()) {
    std::int64_t out = 0;
    for (const int part : parts) out += out_of(w, part);
    return parts.size() > 1 ? 2 * (static_cast<double>(parts.size()) - 1) / static_cast<double>(out) : 0;
  }
  double worst = 0;
  for (std::size_t i = 0; i <= parts.size(); ++i) {
    if (i == parts.size()) parts.push_back(0);
    parts[i] |= 1 << first;
    worst = std::max(worst, worst_of_all(w, parts, first + 1));
    parts[i] &= ~(1 << first);
    if (parts[i] == 0) {
      parts.pop_back();
      break;
    }
  }
  return worst;
}

/// Of links at random, by trying all parts that there are.
TEST(Packing, FindsTheWorstParts) {
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    Wiring w(5, 2);
    for (int u = 0; u < w.vertices(); ++u)
      for (int v = 0; v < w.vertices(); ++v)
        if (u != v) w(u, v) = random() % 3 == 0 ? 0 : 1 + random() % 20;
    for (Rank r = 0; r < w.ranks(); ++r) w(r, (r + 1) % w.ranks()) += 1;
    std::vector<int> parts;
    EXPECT_NEAR(worst_parts(w).value(), worst_of_all(w, parts, 0), 1e-12) << i;
  }
}

/// A ring of four: each sends and receives 3/4 of the message twice, over two links; two pairs of them, each
/// over the two links between. A fifth rank that hangs on a link of 1 needs the message over it, once each
/// way.
TEST(Packing, WorstPartsOfARing) {
  Wiring ring(4, 0), apart(5, 0);
  for (Rank r = 0; r < 4; ++r) join(ring, r, (r + 1) % 4, 10), join(apart, r, (r + 1) % 4, 10);
  join(apart, 3, 4, 1);
  EXPECT_DOUBLE_EQ(worst_parts(ring).value(), 6.0 / 80);
  EXPECT_DOUBLE_EQ(worst_parts(apart).value(), 1);
}

TEST(Packing, RefusesWhatIsApart) {
  Wiring w(4, 0);
  join(w, 0, 1, 1);
  join(w, 2, 3, 1);
  EXPECT_NE(complaint([&] { pack(w, everyone(w)); }).find("no link leads to rank"), std::string::npos);
}

TEST(Synthesis, HoldsOnShippedMachines) {
  const std::pair<const char*, Rank> machines[] = {
      {"flat", 5}, {"edr-cluster", 6}, {"dgx-1v", 8}, {"summit", 12}, {"testbed-racks", 8}};
  for (const auto& [platform, ranks] : machines) {
    const Forecaster forecaster(load_platform(platform), ranks);
    for (const Collective c : {Collective::allgather, Collective::reduce_scatter, Collective::allreduce,
                               Collective::broadcast, Collective::reduce}) {
      const Rank root = definition(c).rooted ? 3 : 0;
      const Synthesis s = synthesize(c, forecaster, root);
      EXPECT_FALSE(prove(schedule(s.forest, c, root, 2), c, root)) << platform;
      EXPECT_GE(s.busiest, s.optimum * (1 - 1e-9)) << platform << ' ' << definition(c).name;
      const Call call{.ranks = ranks, .root = root, .message = Bytes(1 << 26)};
      EXPECT_LE(forecaster.lower_bound(s.algorithm, call).time,
                forecaster.predict(s.algorithm, call, engine("path")).time);
    }
  }
}

/// More ranks on some nodes than on others: what links forbid an allreduce, no trees do, and no engine
/// forecasts. On summit and dgx-a100, twice the time of the worst cut for an allgather forbade what trees do.
TEST(Synthesis, NoAllreduceBeatsItsLimit) {
  const std::pair<const char*, Rank> machines[] = {{"dgx-a100", 9}, {"summit", 7},        {"summit", 13},
                                                   {"abci-v", 6},   {"abci-a", 11},       {"azure-ndv2", 11},
                                                   {"frontera", 9}, {"testbed-racks", 5}, {"tpu-v4", 16}};
  testing::EachOrOneIn tried(9, 2);
  for (const auto& [platform, ranks] : machines) {
    if (!tried()) continue;
    const Forecaster forecaster(load_platform(platform), ranks);
    Front front(Collective::allreduce, forecaster);
    const Limit& limit = front.limit();
    ASSERT_TRUE(limit.optimum) << platform;
    EXPECT_GE(limit.on_links.busiest, *limit.optimum * (1 - 1e-9)) << platform << ' ' << ranks;
    const Prediction p = front.fastest(Bytes(1 << 28), engine("contention")).prediction;
    EXPECT_GE(p.time, p.call.message * *limit.optimum * (1 - 1e-9)) << platform << ' ' << ranks;
  }
}

/// The same for any number of ranks of any machine.
TEST(Synthesis, NoTreesBeatTheLimitOfLinks) {
  testing::EachOrOneIn tried(12, 3);
  std::mt19937 random(11);
  for (const std::string& platform : shipped_platforms()) {
    const auto ranks = static_cast<Rank>(2 + random() % 20);
    if (!tried()) continue;
    const Description description = load_platform(platform);
    try {
      const Synthesis s = synthesize(Collective::allreduce, Forecaster(description, ranks));
      EXPECT_GE(s.busiest, s.optimum * (1 - 1e-9)) << platform << ' ' << ranks;
    } catch (const InputError&) {  // fewer places, or links that differ by direction
    }
  }
}

/// One GPU on the second node: all that an allreduce needs goes through its adapter once each way, and trees
/// do just that.
TEST(Synthesis, AllreduceWithOneRankApart) {
  const Synthesis s = synthesize(Collective::allreduce, Forecaster(load_platform("dgx-a100"), 9));
  EXPECT_NEAR(s.optimum.value, 1 / 24e9, 1e-16);
  EXPECT_NEAR(s.busiest.value, 1 / 24e9, 1e-16);
}

/// A dragonfly's nodes have a port on each of four switches: between nodes, trees keep to one switch, else
/// the links between switches carry twice what ports do.
TEST(Synthesis, KeepsToTheRails) {
  const Synthesis s = synthesize(Collective::allgather, Forecaster(load_platform("frontier"), 16));
  EXPECT_LE(s.busiest, s.optimum * 1.01);
}

/// One switch, one port a rank: five ranks send four fifths of the message each, at 12.5 GB/s.
TEST(Synthesis, OfOneSwitchIsARing) {
  const Synthesis s = synthesize(Collective::allgather, Forecaster(load_platform("flat"), 5));
  EXPECT_NEAR(s.optimum.value, 0.8 / 12.5e9, 1e-18);
  EXPECT_NEAR(s.busiest.value, 0.8 / 12.5e9, 1e-18);
}

/// Edges 0>1, 0>2 cost 5 and 9; 1>2 and 2>1 cost 1: in on 1 and on to 2, not round the circle of 1 and 2.
TEST(Prices, CheapestTree) {
  const double no = 100;
  EXPECT_EQ(cheapest_tree(3, 0, {no, 5, 9, no, no, 1, no, 1, no}), (std::vector<std::size_t>{0, 0, 1}));
}

/// One switch, one port a rank: each receives four fifths of the message at 12.5 GB/s.
TEST(Prices, OfOneSwitchAreTheCut) {
  const Forecaster flat(load_platform("flat"), 5);
  const std::vector<Rank> all = roots(Collective::allgather, 5, 0);
  const double least = least_by_prices(EdgeUses(flat.fabric(), Collective::allgather), all).value;
  EXPECT_LE(least, 0.8 / 12.5e9 * (1 + 1e-9));
  EXPECT_GE(least, 0.8 / 12.5e9 * 0.98);
}

/// Chips of a torus send by several links at once: of a ring, each receives 15/16 of the message over two
/// links of 45 GB/s.
TEST(Prices, OfPortsThatFeedSeveralLinksAreTheCut) {
  const Forecaster tpu(load_platform("tpu-v4"), 16);
  const std::vector<Rank> all = roots(Collective::allgather, 16, 0);
  const double least = least_by_prices(EdgeUses(tpu.fabric(), Collective::allgather), all).value;
  EXPECT_LE(least, 15 / 16.0 / 90e9 * (1 + 1e-9));
  EXPECT_GE(least, 15 / 16.0 / 90e9 * 0.97);
}

/// What prices forbid, no trees do, and no engine forecasts.
TEST(Prices, ForbidNothingThatIsDone) {
  const std::pair<const char*, Rank> machines[] = {{"flat", 6},    {"edr-cluster", 6},   {"dgx-1v", 8},
                                                   {"summit", 12}, {"testbed-racks", 8}, {"abci-a", 16}};
  testing::EachOrOneIn tried(2);
  for (const auto& [platform, ranks] : machines) {
    if (!tried()) continue;
    const Forecaster forecaster(load_platform(platform), ranks);
    for (const Collective c :
         {Collective::allgather, Collective::reduce_scatter, Collective::broadcast, Collective::reduce}) {
      const std::vector<Rank> from = roots(c, ranks, 0);
      const EdgeUses uses(forecaster.fabric(), c);
      const SecondsPerByte least = least_by_prices(uses, from);
      const Synthesis s = synthesize(c, forecaster, 0);
      const Call call{.ranks = ranks, .message = Bytes(1 << 26), .segments = 4};
      for (const Forest& forest : {s.forest, grow(uses, s.forest, from, 2)}) {
        EXPECT_LE(least, busiest(uses, forest, from.size()).time * (1 + 1e-9)) << platform;
        EXPECT_FALSE(prove(schedule(forest, c, 0, 2), c, 0)) << platform;
        EXPECT_LE(
            call.message * least,
            forecaster.predict(algorithm_of(forest, c, 0, "x"), call, engine("contention")).time * (1 + 1e-9))
            << platform << ' ' << definition(c).name;
      }
    }
  }
}

/// Of a GiB, contended; without trees on the routes it takes 1.07 and 1.20 times the bound, and 2.5 times the
/// cut where adapters read GPU memory slowly. On dgx-1v, 1.06 times the cut: prices know that messages take
/// one way.
TEST(Prices, TreesComeNearTheBound) {
  const std::tuple<const char*, Rank, double> machines[] = {
      {"dgx-h100", 16, 1.03}, {"frontier", 8, 1.10}, {"abci-a", 16, 1.05}, {"dgx-1v", 8, 1.04}};
  testing::EachOrOneIn tried(4);
  for (const auto& [platform, ranks, within] : machines) {
    if (!tried()) continue;
    const Forecaster forecaster(load_platform(platform), ranks);
    Front front(Collective::allgather, forecaster);
    const Prediction p = front.fastest(Bytes(1 << 30), engine("contention")).prediction;
    const Seconds least =
        std::max(p.bound.time, p.call.message * front.limit().by_prices.value_or(SecondsPerByte(0)));
    EXPECT_LE(p.time / least, within) << platform;
    EXPECT_GE(p.time / least, 1 - 1e-9) << platform;
  }
}

/// Adapters of abci-a read GPU memory more slowly than links carry: what is reached counts ports where what
/// is allowed does. Links alone would let the schedules reach 2.5 times as much.
TEST(Prices, WhatIsReachedKeepsToWhatIsAllowed) {
  const Forecaster forecaster(load_platform("abci-a"), 16);
  for (const Collective c : {Collective::allgather, Collective::alltoall, Collective::gather}) {
    const Limit limit = Front(c, forecaster).limit();
    ASSERT_TRUE(limit.by_prices && limit.optimum) << definition(c).name;
    EXPECT_GE(limit.on_both.busiest, *limit.by_prices * (1 - 1e-9)) << definition(c).name;
    EXPECT_LE(limit.on_both.busiest, *limit.by_prices * 1.05) << definition(c).name;
    EXPECT_GE(limit.on_links.busiest, *limit.optimum * (1 - 1e-9)) << definition(c).name;
  }
}

/// The trees of one rank share its processor; those of a GPU's thread blocks do not. Written as MSCCL's XML
/// and read back, they cost the same.
TEST(Synthesis, CostsTheSameReadBack) {
  const Description dgx = load_platform("dgx-1v");
  const Call call{.ranks = 8, .message = Bytes(1 << 20), .segments = 4};
  const Forecaster forecaster(dgx, 8);
  for (const Collective c : {Collective::reduce_scatter, Collective::allgather}) {
    const Algorithm trees = synthesize(c, forecaster, 0, 6).algorithm;
    const Algorithm back = parse_msccl(write_msccl(trees.schedule(call), c, "trees"), "trees.xml").algorithm;
    const auto time = [&](const Algorithm& a) {
      return forecaster.predict(a, call, engine("contention")).time;
    };
    EXPECT_NEAR(time(back) / time(trees), 1, 0.01) << definition(c).name;
    EXPECT_GT(time(trees), Seconds(300e-6)) << "6 trees of 4 segments: 168 messages sent, 168 received";
  }
  Front front(Collective::reduce_scatter, forecaster);
  EXPECT_LT(front.fastest(call.message, engine("contention")).prediction.time, Seconds(100e-6));
}

/// `auto` plays channels with contention, as by critical path a port serves them in the order of the steps.
TEST(Synthesis, ByAutoIsAsFastAsByContention) {
  const Forecaster forecaster(load_platform("dgx-a100"), address_sanitizer ? 8 : 16);
  Front front(Collective::allgather, forecaster);
  const auto time = [&](const char* by) { return front.fastest(Bytes(1 << 28), engine(by)).prediction.time; };
  EXPECT_NEAR(time("auto") / time("contention"), 1, 1e-9);
}

/// A rank that reads what others have put into shared memory does not put anything there: what the root sends
/// goes through its own copies. Here 1560 GB/s were allowed, of which 10 are reached.
TEST(Synthesis, OfSharedMemoryKnowsWhatLinksAllow) {
  for (const Collective c : {Collective::broadcast, Collective::reduce}) {
    const Synthesis s = synthesize(c, Forecaster(load_platform("frontera"), 13));
    EXPECT_LE(s.busiest, s.optimum * 1.01);
    EXPECT_GE(s.busiest, s.optimum * (1 - 1e-9));
  }
}

/// A ring of 16 chips and 2 beside it: links lead into switches that nothing leaves, and no trees are packed.
/// The last receive the message over two links of 45 GB/s, and one tree comes over one of them.
TEST(Synthesis, GrowsTreesWhereNonePack) {
  const Forecaster forecaster(load_platform("tpu-v4"), 18);
  Front front(Collective::broadcast, forecaster, 0, 1);
  EXPECT_THAT(front.notes(), ::testing::ElementsAre(::testing::HasSubstr("grown on the routes")));
  ASSERT_TRUE(front.limit().optimum);
  EXPECT_NEAR(front.limit().optimum->value, 1 / 90e9, 1e-16);
  EXPECT_NEAR(front.limit().on_links.busiest.value, 1 / 45e9, 1e-16);
  const Front::Fastest fastest = front.fastest(Bytes(1 << 20), engine("path"));
  EXPECT_EQ(fastest.schedule->algorithm.name, "grown-1");
  EXPECT_TRUE(holds(*fastest.schedule, 0));
}

/// On a DGX-1V some GPUs have no NVLink to the root: what they have goes by others. Messages straight to it
/// take 1.97 times the bound.
TEST(Synthesis, OfOneRootGoesByOthers) {
  const Forecaster forecaster(load_platform("dgx-1v"), 8);
  for (const Collective c : {Collective::gather, Collective::scatter}) {
    Front front(c, forecaster, 3);
    const Front::Fastest fastest = front.fastest(Bytes(1 << 30), engine("contention"));
    EXPECT_LE(fastest.prediction.time / fastest.prediction.bound.time, 1.15);
    EXPECT_TRUE(holds(*fastest.schedule, 3));
  }
}

/// Written as MSCCL's XML and read back, ways over several hops take as long within a tenth: 3.8 ms. Where a
/// thread block sends what hops of several segments have for a rank one after the other, they take 8.
TEST(Synthesis, WaysReadBackTakeAsLong) {
  const Forecaster forecaster(load_platform("dgx-1v"), 8);
  Front front(Collective::alltoall, forecaster);
  std::vector<std::string> notes;
  const std::string xml = msccl(front, Bytes(1 << 28), forecaster, notes);
  EXPECT_EQ(refused_by_msccl(xml), "");
  const Algorithm back = parse_msccl(xml, "x.xml").algorithm;
  const Call call{.ranks = 8, .message = Bytes(1 << 28)};
  EXPECT_LE(forecaster.predict(back, call, engine("contention")).time /
                front.fastest(call.message, engine("contention")).prediction.time,
            1.1);
  EXPECT_THAT(notes,
              ::testing::ElementsAre(::testing::HasSubstr("the fastest file that it takes has paths")));
}

/// TE-CCL's and TACCL's links, some of which lead one way, and whose GPUs reach few others:
/// validation/synthesis.
TEST(Synthesis, OfPublishedLinks) {
  const std::tuple<const char*, Rank, double> machines[] = {
      {"ndv2-x2", 16, 25}, {"dgx-2-x2", 32, 32 * 125 / 31.0}, {"ndv2-x4", 32, 12.5 * 4 / 3}};
  testing::EachOrOneIn tried(3);
  for (const auto& [name, ranks, best] : machines) {
    if (!tried()) continue;
    const std::string file = std::string(COLLCAST_SOURCE_DIR "/validation/synthesis/") + name + ".json";
    const Forecaster forecaster(load_platform(file), ranks);
    Front front(Collective::allgather, forecaster);
    const Prediction p = front.fastest(Bytes(1e9), engine("contention")).prediction;
    EXPECT_GE(1 / p.time.value, 0.995 * best) << name;
    EXPECT_LE(1 / p.time.value, best * (1 + 1e-5)) << name;
  }
}

/// The optimal broadcast of Culler et al., LogP, PPoPP 1993: P = 8, L = 6, g = 4, o = 2 end at 24.
TEST(Earliest, IsTheOptimalBroadcastOfLogP) {
  const UniformFabric fabric(
      LogGP{Seconds(6e-6), Seconds(2e-6), Seconds(4e-6), SecondsPerByte(0), SecondsPerByte(0)}, 8);
  const Forest forest = earliest(fabric, Collective::broadcast, {0}, Bytes(8));
  EXPECT_FALSE(prove(schedule(forest, Collective::broadcast, 0, 1), Collective::broadcast, 0));
  const Algorithm tree = algorithm_of(forest, Collective::broadcast, 0, "x");
  const Call call{.ranks = 8, .message = Bytes(8)};
  EXPECT_NEAR(path_time(fabric, tree, call, no_limit).value, 24e-6, 1e-12);
}

/// Without trees in the order of time these take 78 and 56 us.
TEST(Earliest, IsFasterWhereRanksAreUnequallyFar) {
  const std::tuple<Collective, const char*, Rank, Bytes, double> cases[] = {
      {Collective::allgather, "dgx-1v", 8, Bytes(1 << 20), 50e-6},
      {Collective::broadcast, "summit", 24, Bytes(1024), 30e-6}};
  for (const auto& [collective, platform, ranks, message, within] : cases) {
    const Forecaster forecaster(load_platform(platform), ranks);
    Front front(collective, forecaster);
    const Front::Fastest fastest = front.fastest(message, engine("contention"));
    EXPECT_EQ(fastest.schedule->algorithm.name, "earliest");
    EXPECT_LT(fastest.prediction.time.value, within) << platform;
    EXPECT_TRUE(holds(*fastest.schedule, 0));
  }
}

/// A thread block of NCCL pays for each message of its channel: trees, whose ranks have several children,
/// take 7.1 ms; a chain of each root, all of which cross by one adapter, 33.
TEST(Chains, LeaveNodesByAllRails) {
  const Forecaster forecaster(load_platform("dgx-h100"), 16, Placement::block, Memory::device, 0,
                              parse_transport("nccl:Simple"));
  Front front(Collective::allreduce, forecaster);
  const Front::Fastest fastest = front.fastest(Bytes(1 << 30), engine("contention"));
  EXPECT_EQ(fastest.schedule->algorithm.name, "chains-4");
  EXPECT_LT(fastest.prediction.time, Seconds(5.5e-3));
  EXPECT_TRUE(holds(*fastest.schedule, 0));
}

/// Nodes of 6 and 6 and 1 ranks, in two sockets each.
TEST(Chains, HoldWhereGroupsDiffer) {
  const Forecaster forecaster(load_platform("summit"), 13);
  for (const Collective c : {Collective::allgather, Collective::broadcast}) {
    Front front(c, forecaster, 0);
    for (const Front::Priced& p : front.priced(Bytes(1 << 20), engine("path")))
      EXPECT_TRUE(holds(*p.schedule, 0)) << p.schedule->algorithm.name;
  }
}

TEST(Synthesis, RefusesWhatItCannotMake) {
  const Forecaster few(load_platform("flat"), 4), many(load_platform("flat"), 300);
  EXPECT_EQ(
      complaint([&] { synthesize(Collective::alltoall, few); }),
      "there is no method to synthesize alltoall; there is one for allgather, reduce-scatter, allreduce, "
      "broadcast and reduce");
  EXPECT_EQ(complaint([&] { synthesize(Collective::allgather, many); }),
            "a synthesis takes at most 256 ranks, not 300; `predict` finds the catalogue's fastest for more");
}

/// The other rows of a size stand where the library's choice is not known.
TEST(Gap, WithoutALibrarysChoice) {
  Question q;
  q.collectives = {"reduce-scatter"}, q.platforms = {"edr-cluster"}, q.ranks = {4};
  q.sizes = {Bytes(1024), Bytes(1 << 24)};
  q.policy = "smpi-mpich";
  const report::Report answer = gap(q);
  EXPECT_EQ(answer.sections[0].rows.size(), 3u + 4u);
  const std::string why =
      "smpi-mpich: 256 elements on 4 ranks, up to 524288 elements: recursive-doubling, which the catalogue "
      "does not have for reduce-scatter";
  EXPECT_THAT(answer.notes, ::testing::Contains("smpi-mpich is skipped at 1 KiB: " + why));
  q.sizes = {Bytes(1024)};
  EXPECT_EQ(complaint([&] { gap(q); }), why);
}

Question gap_of(const char* collective, const std::string& platform, Rank ranks) {
  Question q;
  q.collectives = {collective}, q.platforms = {platform}, q.ranks = {ranks};
  q.sizes = {Bytes(1 << 26)};
  return q;
}

/// Of five ranks, or of a ring of chips: the bound is one.
TEST(Gap, NoRowIsBelowTheBound) {
  testing::EachOrOneIn tried(40, 4);
  std::size_t turn = 0;
  for (const std::string& platform : shipped_platforms())
    for (const char* collective : {"allgather", ++turn % 2 == 0 ? "broadcast" : "gather"}) {
      if (!tried()) continue;
      const report::Report answer = gap(gap_of(collective, platform, platform == "tpu-v4" ? 16 : 5));
      for (const Json& row : answer.sections[0].rows)
        EXPECT_GE(row["ratio"].get<double>(), 1 - 1e-6) << platform << ' ' << collective << row["schedule"];
    }
}

/// A library's rows go by its own software, unless all are to go by one.
TEST(Gap, NamesWhatCarriesEachRow) {
  Question q = gap_of("allreduce", "dgx-a100", 8);
  q.policy = "nccl-2.18";
  const report::Report mixed = gap(q);
  EXPECT_EQ(mixed.sections[0].rows[1]["transport"], "mpi");
  EXPECT_EQ(mixed.sections[0].rows[3]["transport"].get<std::string>().substr(0, 5), "nccl:");
  EXPECT_THAT(mixed.notes, ::testing::Contains(::testing::HasSubstr("--transport names one for all")));
  q.transport = parse_transport("nccl:Simple");
  const report::Report one = gap(q);
  for (std::size_t i = 1; i < 4; ++i) {
    const Json& row = one.sections[0].rows[i];
    EXPECT_EQ(row["transport"], "nccl:Simple") << row["schedule"];
    EXPECT_LE(row["low_s"], row["time_s"]);
    EXPECT_GE(row["ratio"].get<double>(), 1 - 1e-6) << row["schedule"];
  }
  q.policy = "fastest", q.memory = Memory::host;
  EXPECT_EQ(complaint([&] { gap(q); }),
            "--transport nccl:Simple sends from device buffers only: it does not go with --memory host");
}

TEST(Gap, AnInterruptIsSaidOnce) {
  const std::atomic<bool> interrupt = true;
  const report::Report none = gap(gap_of("allgather", "dgx-a100", 16), Watch{.interrupt = &interrupt});
  EXPECT_TRUE(none.sections[0].rows.empty());
  EXPECT_THAT(none.notes, ::testing::ElementsAre(::testing::HasSubstr("there are no rows")));
}

/// The hosts play a barrier, and its messages have no size.
TEST(Gap, OfABarrier) {
  Question q;
  q.collectives = {"barrier"}, q.platforms = {"summit"}, q.ranks = {12};
  q.sizes = {Bytes(1024), Bytes(1 << 20)};
  q.policy = "mpich";
  q.set = {"network.bandwidth_GBps=200"};
  const report::Report answer = gap(q);
  const Json& rows = answer.sections[0].rows;
  ASSERT_EQ(rows.size(), 3u);
  for (const Json& row : rows) {
    EXPECT_EQ(row["message_bytes"], 0);
    EXPECT_TRUE(row["algbw_GBps"].is_null());
    EXPECT_GE(row["time_s"], row["lower_bound_s"]) << row["schedule"];
  }
  using ::testing::Contains, ::testing::HasSubstr;
  EXPECT_THAT(answer.notes, Contains("barrier moves no data: --size changes nothing"));
  EXPECT_THAT(answer.notes, Contains(HasSubstr("than a port or cable of a network has ever had")));
}

}  // namespace
}  // namespace collcast
