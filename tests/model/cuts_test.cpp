// SPDX-License-Identifier: Apache-2.0
// The exact allgather optimum of machines whose links are written out: published ones, and small ones by
// hand.
#include "model/bounds/cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "model/bounds/max_flow.hpp"

namespace collcast {
namespace {

/// Ranks and switches, and links between them; GB/s per direction.
class Wires {
 public:
  explicit Wires(Rank ranks) : ranks_(ranks) {}
  void pair(Rank a, Rank b, double GBps) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      const LinkId l = link(GBps);
      routes_.push_back({from, {l}, to});
    }
  }
  /// All of them reach each other through one switch.
  void crossbar(const std::vector<Rank>& members, double GBps) {
    std::vector<LinkId> up, down;
    for (std::size_t i = 0; i < members.size(); ++i) up.push_back(link(GBps)), down.push_back(link(GBps));
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = 0; j < members.size(); ++j)
        if (i != j) routes_.push_back({members[i], {up[i], down[j]}, members[j]});
  }
  /// Boxes that reach each other through one switch each way; a box's ranks share its link there.
  void boxes(Rank size, double GBps) {
    std::vector<LinkId> up, down;
    for (Rank b = 0; b < ranks_ / size; ++b) up.push_back(link(GBps)), down.push_back(link(GBps));
    for (Rank i = 0; i < ranks_; ++i)
      for (Rank j = 0; j < ranks_; ++j)
        if (i / size != j / size)
          routes_.push_back(
              {i, {up[static_cast<std::size_t>(i / size)], down[static_cast<std::size_t>(j / size)]}, j});
  }
  RouteGraph graph(bool reversed = false) const {
    RouteGraph g(ranks_, reversed);
    for (const auto& [from, route, to] : routes_) g.add(from, route, to);
    return g;
  }
  Rank ranks() const { return ranks_; }
  const std::vector<Link>& links() const { return links_; }

 private:
  LinkId link(double GBps) {
    links_.push_back({BytesPerSecond(GBps * 1e9)});
    return static_cast<LinkId>(links_.size() - 1);
  }
  struct Route {
    Rank from;
    std::vector<LinkId> links;
    Rank to;
  };
  Rank ranks_;
  std::vector<Link> links_;
  std::vector<Route> routes_;
};

std::vector<Rank> all(Rank ranks) {
  std::vector<Rank> everyone(static_cast<std::size_t>(ranks));
  std::iota(everyone.begin(), everyone.end(), 0);
  return everyone;
}

/// Of an allgather at the optimum: bytes per second of the whole array, in GB/s.
double algbw(const Wires& wires, bool reversed = false) {
  RouteGraph graph = wires.graph(reversed);
  const std::vector<double> shares(static_cast<std::size_t>(wires.ranks()), 1.0 / wires.ranks());
  const Cut cut = graph.slowest(wires.links(), shares, all(wires.ranks()));
  double bytes = 0;
  for (std::size_t r = 0; r < shares.size(); ++r)
    if ((cut.inside[r] != 0) != reversed) bytes += shares[r];
  return (cut.bandwidth / bytes).value / 1e9;
}

Wires dgx_1v(Rank boxes, double rail) {
  Wires w(8 * boxes);
  for (Rank b = 0; b < 8 * boxes; b += 8)
    for (const auto& [i, j, count] : std::vector<std::array<int, 3>>{{0, 1, 1},
                                                                     {0, 2, 1},
                                                                     {0, 3, 2},
                                                                     {0, 4, 2},
                                                                     {1, 2, 2},
                                                                     {1, 3, 1},
                                                                     {1, 5, 2},
                                                                     {2, 3, 2},
                                                                     {2, 6, 1},
                                                                     {3, 7, 1},
                                                                     {4, 5, 1},
                                                                     {4, 6, 1},
                                                                     {4, 7, 2},
                                                                     {5, 6, 2},
                                                                     {5, 7, 1},
                                                                     {6, 7, 2}})
      w.pair(b + i, b + j, 25.0 * count);
  if (boxes > 1) w.boxes(8, rail);
  return w;
}

Wires dgx(Rank box, Rank boxes, double nvlink, double rail) {
  Wires w(box * boxes);
  for (Rank b = 0; b < boxes; ++b) {
    std::vector<Rank> members = all(box);
    for (Rank& r : members) r += b * box;
    w.crossbar(members, nvlink);
  }
  if (boxes > 1) w.crossbar(all(box * boxes), rail);
  return w;
}

TEST(MaxFlow, UnlimitedEdgesOfTheSourceAddUp) {
  FlowGraph graph(2);
  const FlowGraph::Vertex hub = graph.add_vertex();
  for (int i = 0; i < 100; ++i) {
    const FlowGraph::Vertex v = graph.add_vertex();
    graph.add_edge(0, v, FlowGraph::unlimited);
    graph.add_edge(v, hub, 3);
  }
  graph.add_edge(hub, 1, FlowGraph::unlimited);
  EXPECT_EQ(graph.max_flow(0, 1), 300);
}

/// What takes 0 -> 1 -> 2 -> 3 first bars both other ways, 0 -> 1 -> 4 -> 3 and 0 -> 5 -> 2 -> 3, and has to
/// be taken back: 2 each on these two is the most.
TEST(MaxFlow, TakesBackWhatBarsTheWay) {
  FlowGraph graph(6);
  for (const auto& [from, to] : {std::pair(0, 1), {1, 4}, {4, 3}, {0, 5}, {5, 2}, {2, 3}})
    graph.add_edge(from, to, 2);
  const FlowGraph::Edge across = graph.add_edge(1, 2, 9);
  EXPECT_EQ(graph.max_flow(0, 3), 4);
  for (const FlowGraph::Vertex v : {1, 2, 3, 4, 5}) EXPECT_FALSE(graph.on_source_side(v)) << v;
  EXPECT_EQ(graph.max_flow(0, 3), 4);  // a second one begins anew
  graph.set_capacity(across, 0);
  EXPECT_EQ(graph.max_flow(1, 3), 2);
  EXPECT_TRUE(graph.on_source_side(1));
  EXPECT_FALSE(graph.on_source_side(4));
}

/// As where one asks what binds, with all else out of the way.
TEST(CutAround, HoldsForLinksOfAnySpeed) {
  for (const double GBps : {1e-6, 1.0, 1e9}) {
    Wires wires(3);
    wires.pair(0, 1, GBps);
    wires.pair(1, 2, 2 * GBps);
    const Cut cut = wires.graph().around({1, 0, 0})(wires.links());
    EXPECT_EQ(cut.links.size(), 1u);
    EXPECT_DOUBLE_EQ(cut.bandwidth.value, GBps * 1e9);
  }
}

TEST(Cuts, GiveTheOptimumOfPublishedMachines) {
  EXPECT_DOUBLE_EQ(algbw(dgx_1v(1, 0)), 8 * 150 / 7.0);
  EXPECT_DOUBLE_EQ(algbw(dgx_1v(2, 50)), 100);
  EXPECT_NEAR(algbw(dgx_1v(4, 50)), 32 * 50 / 24.0, 1e-9);
  EXPECT_DOUBLE_EQ(algbw(dgx(8, 1, 300, 0)), 8 * 300 / 7.0);
  EXPECT_NEAR(algbw(dgx(8, 2, 300, 25)), 16 * 65 / 3.0, 1e-9);
  EXPECT_NEAR(algbw(dgx(8, 4, 300, 25)), 32 * 25 / 3.0, 1e-9);
  EXPECT_NEAR(algbw(dgx(8, 1, 450, 50)), 8 * 450 / 7.0, 1e-9);
  EXPECT_NEAR(algbw(dgx(8, 2, 450, 50)), 16 * 100 / 3.0, 1e-9);
  EXPECT_NEAR(algbw(dgx(8, 4, 450, 50)), 32 * 500 / 31.0, 1e-9);
  EXPECT_NEAR(algbw(dgx(8, 16, 450, 50)), 128 * 10 / 3.0, 1e-9);
}

/// The cut nearest to the source, by flows through the whole graph; none where nothing limits them.
std::optional<std::vector<int>> cut_of(FlowGraph::Vertex vertices,
                                       const std::vector<ReducedGraph::Edge>& edges,
                                       const std::vector<FlowGraph::Amount>& capacities) {
  FlowGraph graph(vertices);
  for (const ReducedGraph::Edge& e : edges)
    if (e.from != e.to)
      graph.add_edge(e.from, e.to,
                     e.number < 0 ? FlowGraph::unlimited : capacities[static_cast<std::size_t>(e.number)]);
  if (graph.max_flow(ReducedGraph::source, ReducedGraph::sink) >= FlowGraph::unlimited) return {};
  std::vector<int> cut;
  for (const ReducedGraph::Edge& e : edges)
    if (graph.on_source_side(e.from) && !graph.on_source_side(e.to)) cut.push_back(e.number);
  return cut;
}

/// Capacities of few values make many cuts equally narrow.
TEST(Cuts, OfReducedGraphsAreThoseOfTheWhole) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int several = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const int vertices = 2 + below(10);
    int limited = 0;
    std::vector<ReducedGraph::Edge> edges;
    for (int e = below(3 * vertices); e >= 0; --e) {
      const int from = below(vertices), to = below(vertices);
      edges.push_back({from, to, below(3) == 0 ? ReducedGraph::no_limit : limited++});
    }
    ReducedGraph reduced(vertices, limited, edges);
    for (int again = 0; again < 3; ++again) {
      std::vector<FlowGraph::Amount> capacities;
      for (int i = 0; i < limited; ++i) capacities.push_back(1 + below(4));
      const auto expected = cut_of(vertices, edges, capacities);
      if (!expected) continue;
      std::vector<int> cut = reduced.min_cut(capacities);
      std::ranges::sort(cut);
      ASSERT_EQ(cut, *expected) << "trial " << trial;
      several += cut.size() > 1;
    }
  }
  EXPECT_GT(several, 1000);
}

/// A chain of links beside another, to ranks that are one: a formula, whatever the capacities.
TEST(Cuts, NearestToTheSourceAmongEquallyNarrow) {
  ReducedGraph graph(4, 4, {{0, 2, 0}, {2, 1, 1}, {0, 3, 2}, {3, 1, 3}});
  EXPECT_EQ(graph.min_cut(std::vector<FlowGraph::Amount>{5, 5, 9, 2}), (std::vector{3, 0}));
  EXPECT_EQ(graph.min_cut(std::vector<FlowGraph::Amount>{5, 4, 2, 2}), (std::vector{2, 1}));
}

}  // namespace
}  // namespace collcast
