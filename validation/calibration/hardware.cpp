// SPDX-License-Identifier: Apache-2.0
#include "validation/calibration/hardware.hpp"

#include <algorithm>
#include <set>

#include "platforms/description/blueprint.hpp"
#include "platforms/description/node_graph.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

struct Node {
  Blueprint blueprint;
  NodeGraph graph;
  explicit Node(const Description& platform) : blueprint(read_blueprint(platform)), graph(blueprint) {}

  int host(int slot) const { return graph.place(slot, Memory::host); }
  int nic(int vertex) const {
    return blueprint.of_kind(Blueprint::Vertex::Kind::nic)[static_cast<std::size_t>(graph.nic_of(vertex))];
  }

  Hop hop(int line) const {
    const Blueprint::Line& l = blueprint.lines[static_cast<std::size_t>(line)];
    const auto& [name, type, bandwidth, latency] = blueprint.link_kinds[static_cast<std::size_t>(l.kind)];
    return {bandwidth.path, l.count, l.count * bandwidth.value, latency.path, latency.value};
  }
  void add_route(int from, int to, std::vector<Hop>& hops) const {
    for (const int link : graph.route(from, to))
      hops.push_back(hop(graph.links()[static_cast<std::size_t>(link)].line));
    if (from == to && graph.loop(from) >= 0) hops.push_back(hop(graph.loop(from)));
  }
};

/// The slot of the rank at the other end of a path from slot 0 within a node; -1: none.
int other_slot(const Node& node, Way way) {
  for (int slot = 1; slot < node.blueprint.ranks_per_node; ++slot) {
    const bool one_socket = node.host(slot) == node.host(0);
    if (one_socket == (way == Way::in_node)) return slot;
  }
  return -1;
}

}  // namespace

PathEnds ends_of(const Description& platform, const Path& path) {
  const Node node(platform);
  const int slots = node.blueprint.ranks_per_node;
  if (path.way == Way::between_nodes) {
    if (node.blueprint.max_nodes < 2)
      throw InputError(platform.name() + " has one node; the table is of two");
    return {slots + 1, {0, path.from}, {slots, path.to}};
  }
  const int other = other_slot(node, path.way);
  if (other < 0) throw InputError(platform.name() + " has no two ranks " + name(path));
  return {slots, {0, path.from}, {other, path.to}};
}

std::vector<Hop> hops_of(const Description& platform, const Path& path) {
  const Node node(platform);
  std::vector<Hop> hops;
  if (node.blueprint.network == Blueprint::Network::uniform) {
    hops.push_back({node.blueprint.bandwidth->path, 1, node.blueprint.bandwidth->value});
    return hops;
  }
  const PathEnds ends = ends_of(platform, path);
  if (path.way != Way::between_nodes) {
    node.add_route(node.graph.place(0, path.from), node.graph.place(ends.to.rank, path.to), hops);
    return hops;
  }
  const int from = node.graph.place(0, path.from), to = node.graph.place(0, path.to);
  node.add_route(from, node.nic(from), hops);
  hops.push_back({node.blueprint.bandwidth->path, 1, node.blueprint.bandwidth->value});
  node.add_route(node.nic(to), to, hops);
  return hops;
}

std::vector<Hop> hops_between(const Description& platform, int sender, int receiver) {
  const Node node(platform);
  const std::vector<int>& gpus = node.blueprint.ranks_on;
  if (std::max(sender, receiver) >= static_cast<int>(gpus.size()))
    throw InputError(platform.name() + " has " + std::to_string(gpus.size()) +
                     " GPUs per node; a table has GPU " + std::to_string(std::max(sender, receiver)));
  std::vector<Hop> hops;
  node.add_route(gpus[static_cast<std::size_t>(sender)], gpus[static_cast<std::size_t>(receiver)], hops);
  return hops;
}

Description hardware_of(const Description& platform) {
  Json json = platform.json();
  json.erase("software");
  if (json.contains("protocol")) {
    json["protocol"].erase("eager_limit_KiB");
    json["protocol"].erase("handshake_us");
  }
  return {platform.name(), platform.file(), std::move(json)};
}

int nics_used(const Description& platform, int ranks, Memory memory) {
  const Node node(platform);
  std::set<int> used;
  for (int slot = 0; slot < std::min(ranks, node.blueprint.ranks_per_node); ++slot)
    used.insert(node.nic(node.graph.place(slot, memory)));
  return static_cast<int>(used.size());
}

}  // namespace collcast
