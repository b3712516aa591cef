// SPDX-License-Identifier: Apache-2.0
#include "model/bounds/max_flow.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace collcast {
/// The network as Boost keeps it.
namespace boosted {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;

struct Pipe {
  FlowGraph::Amount capacity = 0, residual = 0;
  Traits::edge_descriptor reverse = {};
};
using Network = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Pipe>;

}  // namespace boosted

struct FlowGraph::Graph {
  boosted::Network network;
  std::vector<boosted::Traits::edge_descriptor> edges;
};

FlowGraph::FlowGraph(Vertex vertices) : graph_(std::make_unique<Graph>()) {
  for (Vertex v = 0; v < vertices; ++v) add_vertex();
}
FlowGraph::~FlowGraph() = default;
FlowGraph::FlowGraph(FlowGraph&&) noexcept = default;
FlowGraph& FlowGraph::operator=(FlowGraph&&) noexcept = default;

FlowGraph::Vertex FlowGraph::add_vertex() {
  return static_cast<Vertex>(boost::add_vertex(graph_->network));
}

FlowGraph::Edge FlowGraph::add_edge(Vertex from, Vertex to, Amount capacity) {
  boosted::Network& n = graph_->network;
  const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
  const auto there = boost::add_edge(a, b, n).first, back = boost::add_edge(b, a, n).first;
  n[there] = {capacity, 0, back};
  n[back] = {0, 0, there};
  graph_->edges.push_back(there);
  return static_cast<Edge>(graph_->edges.size() - 1);
}

void FlowGraph::set_capacity(Edge edge, Amount capacity) {
  graph_->network[graph_->edges[static_cast<std::size_t>(edge)]].capacity = capacity;
}

FlowGraph::Amount FlowGraph::max_flow(Vertex from, Vertex to) {
  boosted::Network& n = graph_->network;
  const auto source = static_cast<std::size_t>(from), sink = static_cast<std::size_t>(to);
  const Amount flow = boost::push_relabel_max_flow(
      n, source, sink, get(&boosted::Pipe::capacity, n), get(&boosted::Pipe::residual, n),
      get(&boosted::Pipe::reverse, n), get(boost::vertex_index, n));
  reached_.assign(num_vertices(n), 0);
  std::vector<std::size_t> open = {source};
  reached_[source] = 1;
  while (!open.empty()) {
    const std::size_t v = open.back();
    open.pop_back();
    for (const auto e : boost::make_iterator_range(out_edges(v, n)))
      if (n[e].residual > 0 && !reached_[target(e, n)]) {
        reached_[target(e, n)] = 1;
        open.push_back(target(e, n));
      }
  }
  return flow;
}

}  // namespace collcast
