// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/node_graph.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <limits>
#include <map>
#include <set>

namespace collcast {
namespace {

using Distance = std::pair<double, double>;
using Kind = Blueprint::Vertex::Kind;

struct Edge {
  Distance length;
  int link = 0;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Edge>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Whether a route may leave a vertex: it passes through processors and switches only; GPUs, NICs and DPUs
/// are its ends.
struct MayLeave {
  const Graph* graph = nullptr;
  const Blueprint* blueprint = nullptr;
  std::size_t source = 0;
  bool operator()(const Graph::edge_descriptor& e) const {
    const std::size_t v = boost::source(e, *graph);
    const Kind kind = blueprint->vertices[v].kind;
    return v == source || kind == Kind::cpu || kind == Kind::network_switch;
  }
};

Graph graph_of(const Blueprint& b, const std::vector<NodeGraph::Link>& links) {
  Graph graph(b.vertices.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Blueprint::Line& line = b.lines[static_cast<std::size_t>(links[i].line)];
    const Blueprint::LinkKind& kind = b.link_kinds[static_cast<std::size_t>(line.kind)];
    const Distance length = {1, 1 / (kind.bandwidth.value * line.count)};
    boost::add_edge(static_cast<std::size_t>(links[i].from), static_cast<std::size_t>(links[i].to),
                    Edge{length, static_cast<int>(i)}, graph);
  }
  return graph;
}

struct Add {
  Distance operator()(const Distance& a, const Distance& b) const {
    return {a.first + b.first, a.second + b.second};
  }
};

}  // namespace

NodeGraph::NodeGraph(const Blueprint& b)
    : size_(b.vertices.size()),
      routes_(size_ * size_),
      distances_(size_ * size_),
      loops_(size_, -1),
      nic_of_(size_, -1),
      host_of_(size_) {
  find_links(b);
  find_routes(b);
  find_places(b);
  check_places(b);
}

void NodeGraph::find_links(const Blueprint& b) {
  for (std::size_t i = 0; i < b.lines.size(); ++i) {
    const Blueprint::Line& l = b.lines[i];
    const int line = static_cast<int>(i);
    if (l.from == l.to) {
      loops_[static_cast<std::size_t>(l.from)] = line;
    } else {
      links_.push_back({l.from, l.to, line});
      if (!l.one_way) links_.push_back({l.to, l.from, line});
    }
  }
}

void NodeGraph::find_routes(const Blueprint& b) {
  const Graph graph = graph_of(b, links_);
  std::vector<Graph::edge_descriptor> last(size_);  // by vertex: the last edge of the route to it
  auto is_switch = [&b](std::size_t v) { return b.vertices[v].kind == Kind::network_switch; };
  for (std::size_t s = 0; s < size_; ++s) {
    const boost::filtered_graph<Graph, MayLeave> passable(graph, MayLeave{&graph, &b, s});
    Distance* const distance = &distances_[s * size_];
    boost::dijkstra_shortest_paths(passable, s,
                                   boost::weight_map(boost::get(&Edge::length, passable))
                                       .visitor(boost::make_dijkstra_visitor(boost::record_edge_predecessors(
                                           last.data(), boost::on_edge_relaxed())))
                                       .distance_map(distance)
                                       .distance_compare(std::less<Distance>())
                                       .distance_combine(Add())
                                       .distance_inf(Distance{infinity, infinity})
                                       .distance_zero(Distance{0, 0}));
    for (std::size_t t = 0; t < size_; ++t) {
      if (distance[t].first == infinity && (is_switch(s) || is_switch(t))) continue;
      if (distance[t].first == infinity)
        reject(b.file, "node.links",
               "no route from " + b.vertices[s].name + " to " + b.vertices[t].name +
                   " (routes pass through cpu and switch vertices only)");
      std::vector<int>& route = routes_[s * size_ + t];
      for (std::size_t v = t; v != s; v = last[v].m_source) route.push_back(graph[last[v]].link);
      std::ranges::reverse(route);
    }
  }
}

void NodeGraph::find_places(const Blueprint& b) {
  const std::vector<int> hosts = b.of_kind(Kind::cpu), dpus = b.of_kind(Kind::dpu),
                         nics = b.of_kind(Kind::nic);
  std::vector<int> order;
  for (int slot = 0; slot < b.ranks_per_node; ++slot) order.push_back(b.vertex_of_slot(slot));
  for (int v = 0; v < static_cast<int>(size_); ++v) order.push_back(v);
  Turns turns;
  std::vector<bool> seen(size_);
  for (const int v : order) {
    const auto at = static_cast<std::size_t>(v);
    if (seen[at]) continue;
    seen[at] = true;
    const int host = nearest(v, hosts, turns[{b.vertices[at].kind, Kind::cpu}]);
    nic_of_[at] = nearest(v, nics, turns[{b.vertices[at].kind, Kind::nic}]);
    host_of_[at] = host < 0 ? v : hosts[static_cast<std::size_t>(host)];
  }
  for (int slot = 0; slot < b.ranks_per_node; ++slot) {
    const int device = b.vertex_of_slot(slot);
    device_.push_back(device);
    host_.push_back(host_of(device));
    const Kind kind = b.vertices[static_cast<std::size_t>(device)].kind;
    const int dpu = nearest(device, dpus, turns[{kind, Kind::dpu}]);
    dpu_.push_back(dpu < 0 ? -1 : dpus[static_cast<std::size_t>(dpu)]);
  }
}

/// Checks the vertices that hold data of ranks. Ranks may reduce there, and ranks that share a memory copy
/// within it, so the file has to say how fast.
void NodeGraph::check_places(const Blueprint& b) const {
  std::map<int, int> slots;
  for (std::size_t s = 0; s < device_.size(); ++s)
    for (int v : std::set<int>{device_[s], host_[s], dpu_[s]}) ++slots[v];
  slots.erase(-1);
  for (const auto& [vertex, n] : slots) {
    const Blueprint::Vertex& v = b.vertices[static_cast<std::size_t>(vertex)];
    if (v.device < 0) reject(b.file, "node.vertices." + v.name, "holds data of ranks, so it needs a device");
    const Blueprint::Device& d = b.devices[static_cast<std::size_t>(v.device)];
    if (!d.reduce && !d.memory_bandwidth)
      reject(b.file, "node.vertices." + v.name, "its device needs reduce_GBps or memory_bandwidth_GBps");
    if (n > 1 && loop(vertex) < 0)
      reject(b.file, "node.links",
             std::to_string(n) + " ranks share the memory of " + v.name + ": add a link between " + v.name +
                 " and itself, for copies within it");
  }
}

int NodeGraph::nearest(int vertex, const std::vector<int>& candidates, Turns::mapped_type& turns) const {
  std::vector<int> best;
  auto distance = [&](std::size_t i) { return distances_[index(vertex, candidates[i])]; };
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!best.empty() && distance(i) > distance(static_cast<std::size_t>(best.front()))) continue;
    if (!best.empty() && distance(i) < distance(static_cast<std::size_t>(best.front()))) best.clear();
    best.push_back(static_cast<int>(i));
  }
  return best.empty() ? -1 : best[turns[best]++ % best.size()];
}

int NodeGraph::place(int slot, Memory memory) const {
  const std::vector<int>& of = memory == Memory::device ? device_ : memory == Memory::host ? host_ : dpu_;
  return of[static_cast<std::size_t>(slot)];
}

}  // namespace collcast
