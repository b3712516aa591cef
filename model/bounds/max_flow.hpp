// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace collcast {

/// A directed graph whose edges carry whole amounts: the most that flows between two vertices, and a least
/// cut.
class FlowGraph {
 public:
  using Vertex = std::int32_t;
  using Edge = std::int32_t;
  using Amount = std::int64_t;
  /// More than any sum of other capacities that is met here; the source may have 2^17 such edges.
  static constexpr Amount unlimited = Amount{1} << 46;

  explicit FlowGraph(Vertex vertices = 0);
  ~FlowGraph();
  FlowGraph(FlowGraph&&) noexcept;
  FlowGraph& operator=(FlowGraph&&) noexcept;

  Vertex add_vertex();
  /// Edges are numbered from 0.
  Edge add_edge(Vertex from, Vertex to, Amount capacity = 0);
  void set_capacity(Edge edge, Amount capacity);
  Amount capacity(Edge edge) const;

  Amount max_flow(Vertex from, Vertex to);
  /// By vertex: whether the source of the last flow could still send more there. Edges from such a vertex to
  /// another kind are a least cut.
  const std::vector<char>& source_side() const { return reached_; }

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
  std::vector<char> reached_;
};

}  // namespace collcast
