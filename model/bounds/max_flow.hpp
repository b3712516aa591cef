// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace collcast {

/// Maximum flow and minimum cut of a directed graph with integer capacities.
class FlowGraph {
 public:
  using Vertex = std::int32_t;
  using Edge = std::int32_t;
  using Amount = std::int64_t;
  /// More than any sum of other capacities here; 2^17 such edges may leave the source without overflow.
  static constexpr Amount unlimited = Amount{1} << 46;

  explicit FlowGraph(Vertex vertices = 0);
  ~FlowGraph();
  FlowGraph(FlowGraph&&) noexcept;
  FlowGraph& operator=(FlowGraph&&) noexcept;

  Vertex add_vertex() { return vertices_++; }
  Vertex vertices() const { return vertices_; }
  /// Adds an edge between two vertices. Edges are numbered from 0.
  Edge add_edge(Vertex from, Vertex to, Amount capacity = 0);
  void set_capacity(Edge edge, Amount capacity) {
    edges_[static_cast<std::size_t>(edge)].capacity = capacity;
  }
  Amount capacity(Edge edge) const { return edges_[static_cast<std::size_t>(edge)].capacity; }

  Amount max_flow(Vertex from, Vertex to);
  /// Whether the last flow leaves spare capacity on some path from the source to the vertex. The edges from
  /// vertices where it does to vertices where it does not are a minimum cut.
  bool on_source_side(Vertex v) const { return reached_[static_cast<std::size_t>(v)] != 0; }
  /// What the last flow sends along the edge.
  Amount flow(Edge edge) const;

 private:
  struct FromTo {
    Vertex from, to;
    Amount capacity;
  };
  struct Network;

  Vertex vertices_;
  std::vector<FromTo> edges_;
  std::unique_ptr<Network> network_;  ///< made of the edges; null after one was added
  std::vector<char> reached_;
};

}  // namespace collcast
