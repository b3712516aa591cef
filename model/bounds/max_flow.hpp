// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace collcast {

/// Maximum flow and minimum cut of a directed graph with integer capacities, by Dinic's algorithm: bounds ask
/// for those of hundreds of small, shallow graphs, of which a general library's takes longer to build.
class FlowGraph {
 public:
  using Vertex = std::int32_t;
  using Edge = std::int32_t;
  using Amount = std::int64_t;
  /// More than any sum of other capacities here; 2^17 such edges may leave the source without overflow.
  static constexpr Amount unlimited = Amount{1} << 46;

  explicit FlowGraph(Vertex vertices = 0) : first_(static_cast<std::size_t>(vertices), none) {}

  Vertex add_vertex();
  /// Edges are numbered from 0.
  Edge add_edge(Vertex from, Vertex to, Amount capacity = 0);
  void set_capacity(Edge edge, Amount capacity) { capacity_[static_cast<std::size_t>(edge)] = capacity; }

  Amount max_flow(Vertex from, Vertex to);
  /// Whether the last flow leaves a path to the vertex from the source. Edges from a vertex where it does to
  /// one where it does not are a minimum cut.
  bool on_source_side(Vertex v) const { return level_[static_cast<std::size_t>(v)] >= 0; }

 private:
  static constexpr std::int32_t none = -1;
  /// One direction of an edge: edge e is arc 2 e, and arc 2 e + 1 takes flow back.
  struct Arc {
    Vertex to;
    std::int32_t next;  ///< of the same vertex
    Amount residual;
  };
  bool find_levels(Vertex from, Vertex to);
  Amount push(Vertex at, Vertex to, Amount amount);

  std::vector<Arc> arcs_;
  std::vector<Amount> capacity_;      ///< by edge
  std::vector<std::int32_t> first_;   ///< by vertex: its first arc
  std::vector<std::int32_t> cursor_;  ///< by vertex: its first arc that may still take flow
  std::vector<std::int32_t> level_;   ///< by vertex: arcs from the source; none: out of reach
  std::vector<Vertex> open_;
};

}  // namespace collcast
