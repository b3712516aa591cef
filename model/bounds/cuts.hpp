// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/bounds/max_flow.hpp"
#include "model/bounds/reduced_graph.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// A set of ranks, and links that all data between it and the other ranks must cross.
struct Cut {
  std::vector<char> inside;  ///< by rank
  std::vector<LinkId> links;
  BytesPerSecond bandwidth;  ///< of these links in all
};

/// Finds the cut of least bandwidth between some ranks and the others, for any bandwidths of the links.
class NarrowestCut {
 public:
  /// `graph`: its edges are numbered as the links.
  NarrowestCut(std::vector<char> inside, std::vector<LinkId> links, ReducedGraph graph)
      : inside_(std::move(inside)), links_(std::move(links)), graph_(std::move(graph)) {}

  Cut operator()(const std::vector<Link>& links);
  /// The same for another set of ranks whose data take the same links.
  NarrowestCut of(std::vector<char> inside) && {
    return {std::move(inside), std::move(links_), std::move(graph_)};
  }

 private:
  std::vector<char> inside_;
  std::vector<LinkId> links_;
  ReducedGraph graph_;
  std::vector<FlowGraph::Amount> capacities_;
};

/// The graph of a fabric's routes: a link leads to another only if some route takes both in succession, and
/// ranks forward what they received.
class RouteGraph {
 public:
  /// `reversed`: data flow against the routes, as in a reduce-scatter compared with an allgather.
  explicit RouteGraph(Rank ranks, bool reversed = false);

  void add(Place from, std::span<const LinkId> route, Place to);
  /// Adds the routes of a fabric from each place of `from` to each of `to`.
  void add(const Fabric& fabric, std::span<const Place> from, std::span<const Place> to);

  /// The narrowest cut between the ranks inside and all others. `inside`: by rank.
  NarrowestCut around(const std::vector<char>& inside) const;

  /// The cut that takes longest if every rank of `sinks` needs the `weights[r]` bytes that each rank r begins
  /// with; empty if that is not longer than `least`. Exact, by Newton's method on integer max-flows. Some
  /// schedule attains this time: Zhao et al., ForestColl, arXiv 2402.06787.
  Cut slowest(const std::vector<Link>& links, const std::vector<double>& weights, std::span<const Rank> sinks,
              Seconds least = {});

 private:
  using Vertex = FlowGraph::Vertex;
  struct Ends {
    LinkId link;
    Vertex in, out;
    FlowGraph::Edge edge;
  };
  const Ends& ends(LinkId link);
  Vertex enters(LinkId link) { return reversed_ ? ends(link).out : ends(link).in; }
  Vertex leaves(LinkId link) { return reversed_ ? ends(link).in : ends(link).out; }
  Vertex vertex(Place place);
  void join(Vertex from, Vertex to);
  /// Whether the flow that was kept for a sink, which brings it all bytes, still fits the capacities.
  bool still_enough(Rank sink) const;
  void keep_enough(Rank sink);
  /// The minimum cut of the max-flow that was found last.
  Cut shown(const std::vector<Link>& links) const;

  Rank ranks_;
  bool reversed_;
  FlowGraph flows_;
  Vertex source_ = ReducedGraph::source, sink_ = ReducedGraph::sink;
  struct Join {
    Vertex from, to;
  };
  struct Terminal {
    Vertex vertex;
    FlowGraph::Edge from_source, to_sink;
    Place place;
  };
  std::vector<Terminal> places_;
  std::unordered_map<std::uint64_t, std::size_t> place_of_;
  /// The last flow that brought all bytes to a sink, by sink: the amount from the source to each place, then
  /// the amount through each link.
  std::map<Rank, std::vector<FlowGraph::Amount>> enough_;
  std::vector<Ends> ends_;  ///< by link, in the order in which routes first took them
  std::unordered_map<LinkId, std::size_t> ends_of_;
  std::unordered_set<std::uint64_t> joined_;
  std::vector<Join> joins_;  ///< in the order in which routes first took them
  std::optional<Place> last_from_, last_to_;
  std::vector<LinkId> last_route_;
};

/// The cut of least bandwidth between a group of ranks and all others. It cuts the routes out of the group,
/// or `into` it, between these memories. The ranks in `others` stand for all others. If `near` is given, only
/// links near the group are searched: at most so many of each route, and at most half of it.
NarrowestCut cut_around(const Fabric& fabric, const std::vector<char>& inside, bool into,
                        std::span<const Memory> memories, std::span<const Rank> others,
                        std::optional<std::size_t> near = {});

}  // namespace collcast
