// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "model/schedule.hpp"
#include "platforms/description/blueprint.hpp"

namespace collcast {

/// The routes between the vertices of a node, and where its ranks' memories are.
class NodeGraph {
 public:
  /// Throws InputError where two vertices that are no switches do not reach each other.
  explicit NodeGraph(const Blueprint& blueprint);

  struct Link {
    int from, to, line;
  };
  /// Both directions of every line but those from a vertex to itself.
  const std::vector<Link>& links() const { return links_; }

  /// Indices of `links`; none from a vertex to itself.
  /// The fewest links, then the least time per byte; only cpu and switch vertices are passed through.
  const std::vector<int>& route(int from, int to) const { return routes_[index(from, to)]; }

  /// The line from a vertex to itself; -1: none.
  int loop(int vertex) const { return loops_[static_cast<std::size_t>(vertex)]; }

  /// The vertex that holds a memory of the rank in this slot; -1: the node has none.
  int place(int slot, Memory memory) const;

  /// The nearest cpu of a vertex; itself where the node has none.
  int host_of(int vertex) const { return host_of_[static_cast<std::size_t>(vertex)]; }

  /// Which NIC of the node serves a vertex: the nearest, and where several are near they take turns.
  int nic_of(int vertex) const { return nic_of_[static_cast<std::size_t>(vertex)]; }

 private:
  using Distance = std::pair<double, double>;  ///< links, time per byte

  std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * size_ + static_cast<std::size_t>(to);
  }
  void find_links(const Blueprint& blueprint);
  void find_routes(const Blueprint& blueprint);
  void find_places(const Blueprint& blueprint);
  void check_places(const Blueprint& blueprint) const;
  int nearest(int vertex, const std::vector<int>& candidates) const;

  std::size_t size_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> routes_;
  std::vector<Distance> distances_;
  std::vector<int> loops_, nic_of_, host_of_;
  std::vector<int> device_, host_, dpu_;  ///< per slot
};

}  // namespace collcast
