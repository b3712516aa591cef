// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/bounds/max_flow.hpp"

namespace collcast {

/// A directed graph whose minimum cuts between a source and a sink are wanted for many capacities of its
/// edges, all above 0. What does not depend on capacities is done once: edges in series pass what the
/// narrowest does, parallel ones add up, and what leads nowhere is left out. What remains is searched by
/// max-flow. For routes, which branch and join again, that is mostly one edge.
class ReducedGraph {
 public:
  using Vertex = FlowGraph::Vertex;
  static constexpr Vertex source = 0, sink = 1;
  static constexpr int no_limit = -1;
  struct Edge {
    Vertex from, to;
    int number;  ///< index of its capacity in min_cut, or no_limit
  };

  /// `limited`: how many edges have capacities.
  ReducedGraph(Vertex vertices, int limited, std::vector<Edge> edges);

  /// The numbers of the edges of the minimum cut nearest to the source.
  std::vector<int> min_cut(std::span<const FlowGraph::Amount> capacities);

 private:
  /// Two edges that became one, numbered behind those of the graph; `first` is nearer to the source.
  struct Pair {
    int first, second;
    bool in_series;
  };
  std::vector<Pair> pairs_;
  std::vector<Edge> left_;
  std::optional<FlowGraph> flows_;  ///< of `left_`, if that is more than one edge
  std::vector<FlowGraph::Amount> values_;
  int limited_;
};

}  // namespace collcast
