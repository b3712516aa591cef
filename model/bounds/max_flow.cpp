// SPDX-License-Identifier: Apache-2.0
#include "model/bounds/max_flow.hpp"

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/range/iterator_range.hpp>
#include <cassert>

namespace collcast {

using Csr = boost::compressed_sparse_row_graph<boost::directedS>;

/// The edges, each with one in reverse, as Boost keeps them: sorted by the vertex that they leave.
struct FlowGraph::Network {
  Network(Vertex vertices, const std::vector<FromTo>& edges)
      : place(2 * edges.size()), reverse(place.size()), capacity(place.size()), residual(place.size()) {
    // By vertex: where its next edge goes.
    std::vector<std::size_t> next(static_cast<std::size_t>(vertices) + 1);
    for (const FromTo& e : edges)
      ++next[static_cast<std::size_t>(e.from) + 1], ++next[static_cast<std::size_t>(e.to) + 1];
    for (std::size_t v = 1; v < next.size(); ++v) next[v] += next[v - 1];
    std::vector<std::pair<std::size_t, std::size_t>> sorted(place.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const auto from = static_cast<std::size_t>(edges[i].from), to = static_cast<std::size_t>(edges[i].to);
      place[2 * i] = next[from]++, place[2 * i + 1] = next[to]++;
      sorted[place[2 * i]] = {from, to}, sorted[place[2 * i + 1]] = {to, from};
      reverse[place[2 * i]] = {to, place[2 * i + 1]}, reverse[place[2 * i + 1]] = {from, place[2 * i]};
    }
    before.resize(static_cast<std::size_t>(vertices)), colour.resize(before.size());
    distance.resize(before.size());
    graph = Csr(boost::edges_are_sorted, sorted.begin(), sorted.end(), static_cast<std::size_t>(vertices));
  }

  Csr graph;
  std::vector<std::size_t> place;  ///< place[2 i]: of edge i in Boost's order; place[2 i + 1]: of its reverse
  std::vector<Csr::edge_descriptor> reverse;
  std::vector<Amount> capacity, residual;
  std::vector<Csr::edge_descriptor> before;  ///< by vertex, as are the next two: state of the search
  std::vector<boost::default_color_type> colour;
  std::vector<std::size_t> distance;
};

FlowGraph::FlowGraph(Vertex vertices) : vertices_(vertices) {}
FlowGraph::~FlowGraph() = default;
FlowGraph::FlowGraph(FlowGraph&&) noexcept = default;
FlowGraph& FlowGraph::operator=(FlowGraph&&) noexcept = default;

FlowGraph::Edge FlowGraph::add_edge(Vertex from, Vertex to, Amount capacity) {
  assert(from != to);  // Boost's search cannot handle loops
  network_.reset();
  edges_.push_back({from, to, capacity});
  return static_cast<Edge>(edges_.size() - 1);
}

FlowGraph::Amount FlowGraph::flow(Edge edge) const {
  return capacity(edge) - network_->residual[network_->place[2 * static_cast<std::size_t>(edge)]];
}

FlowGraph::Amount FlowGraph::max_flow(Vertex from, Vertex to) {
  if (!network_) network_ = std::make_unique<Network>(vertices_, edges_);
  Network& n = *network_;
  for (std::size_t i = 0; i < edges_.size(); ++i) n.capacity[n.place[2 * i]] = edges_[i].capacity;
  const auto index = get(boost::edge_index, n.graph);
  const auto source = static_cast<std::size_t>(from), sink = static_cast<std::size_t>(to);
  const auto of_edge = [&](auto& values) { return boost::make_iterator_property_map(values.begin(), index); };
  const auto number = get(boost::vertex_index, n.graph);
  const auto of_vertex = [&](auto& values) {
    return boost::make_iterator_property_map(values.begin(), number);
  };
  const Amount flow = boost::boykov_kolmogorov_max_flow(
      n.graph, of_edge(n.capacity), of_edge(n.residual), of_edge(n.reverse), of_vertex(n.before),
      of_vertex(n.colour), of_vertex(n.distance), number, source, sink);
  reached_.assign(num_vertices(n.graph), 0);
  std::vector<std::size_t> open = {source};
  reached_[source] = 1;
  while (!open.empty()) {
    const std::size_t v = open.back();
    open.pop_back();
    for (const auto e : boost::make_iterator_range(out_edges(v, n.graph)))
      if (n.residual[get(index, e)] > 0 && !reached_[target(e, n.graph)]) {
        reached_[target(e, n.graph)] = 1;
        open.push_back(target(e, n.graph));
      }
  }
  return flow;
}

}  // namespace collcast
