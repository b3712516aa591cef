// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/bounds/max_flow.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// Ranks, and the links over which has to go what leaves them.
struct Cut {
  std::vector<char> inside;  ///< by rank
  std::vector<LinkId> links;
  BytesPerSecond bandwidth;  ///< of these links together
};

/// Links as routes string them together: data turn from one link into another only where some route does, and
/// a rank passes on what it received.
class RouteGraph {
 public:
  /// `reversed`: data go the other way round, as those of reduce-scatter do beside those of allgather.
  RouteGraph(Rank ranks, const std::vector<Link>& links, bool reversed = false);

  void add(Place from, std::span<const LinkId> route, Place to);
  /// The routes of a fabric from each of these places to each of those.
  void add(const Fabric& fabric, std::span<const Place> from, std::span<const Place> to);

  /// The cut of least bandwidth between the ranks inside and all others.
  Cut around(const std::vector<char>& inside);

  /// Rank r begins with `weights[r]` bytes (a Bytes' value), which all of `sinks` are to have. The cut that
  /// takes longest for it, if it takes longer than `least`: exact, by Newton's method on integer max-flows.
  /// Optimality: Zhao et al., ForestColl, arXiv 2402.06787.
  Cut slowest(const std::vector<double>& weights, std::span<const Rank> sinks, Seconds least = {});

 private:
  using Vertex = FlowGraph::Vertex;
  struct Ends {
    Vertex in, out;
    FlowGraph::Edge edge;
  };
  const Ends& ends(LinkId link);
  Vertex vertex(Place place);
  void join(Vertex from, Vertex to);
  /// Where a flow from the source has just been found: what it shows.
  Cut shown() const;

  Rank ranks_;
  const std::vector<Link>& links_;
  bool reversed_;
  FlowGraph flows_;
  Vertex source_ = 0, sink_ = 1;
  struct Terminal {
    Vertex vertex;
    FlowGraph::Edge from_source, to_sink;
    Place place;
  };
  std::vector<Terminal> places_;
  std::unordered_map<std::uint64_t, std::size_t> place_of_;
  std::unordered_map<LinkId, Ends> ends_;
  std::unordered_set<std::uint64_t> joined_;
};

/// The least cut between some ranks and all others: of the routes out of the group, or `into` it, between
/// these memories of the ranks. Of many ranks, among the half of each route that is next to the group, and of
/// that among the `near` links next to it.
Cut cut_around(const Fabric& fabric, const std::vector<char>& inside, bool into,
               std::span<const Memory> memories, std::optional<std::size_t> near = {});

}  // namespace collcast
