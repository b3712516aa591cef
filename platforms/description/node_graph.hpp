// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "model/schedule.hpp"
#include "platforms/description/blueprint.hpp"

namespace collcast {

/// The routes between the vertices of a node, and the vertices of its ranks' memories.
class NodeGraph {
 public:
  /// Throws InputError if two vertices other than switches are not connected.
  explicit NodeGraph(const Blueprint& blueprint);

  struct Link {
    int from, to, line;
  };
  /// The directions of every line, except lines from a vertex to itself.
  const std::vector<Link>& links() const { return links_; }

  /// The route as indices of `links`, through cpu and switch vertices only: of the routes with the fewest
  /// links, the one with the least time per byte. Empty from a vertex to itself.
  const std::vector<int>& route(int from, int to) const { return routes_[index(from, to)]; }

  /// The line from a vertex to itself; -1: none.
  int loop(int vertex) const { return loops_[static_cast<std::size_t>(vertex)]; }

  /// The vertex of a memory of the rank in this slot; -1: the node has no such memory.
  int place(int slot, Memory memory) const;

  /// The nearest cpu of a vertex; the vertex itself if the node has none.
  int host_of(int vertex) const { return host_of_[static_cast<std::size_t>(vertex)]; }

  /// The NIC that serves a vertex: the nearest one. Vertices of one kind take equally near NICs in turn,
  /// first the vertices of ranks, in their order.
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
  /// How often a choice was made from each set of equally near candidates, by the kinds of vertex and
  /// candidate.
  using Kind = Blueprint::Vertex::Kind;
  using Turns = std::map<std::pair<Kind, Kind>, std::map<std::vector<int>, std::size_t>>;
  int nearest(int vertex, const std::vector<int>& candidates, Turns::mapped_type& turns) const;

  std::size_t size_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> routes_;
  std::vector<Distance> distances_;
  std::vector<int> loops_, nic_of_, host_of_;
  std::vector<int> device_, host_, dpu_;  ///< by slot
};

}  // namespace collcast
