// SPDX-License-Identifier: Apache-2.0
#include "platforms/wire_table.hpp"

#include <algorithm>

namespace collcast {
namespace {

using Kind = Blueprint::Vertex::Kind;

SecondsPerByte slower(SecondsPerByte a, SecondsPerByte b) {
  return std::max(a, b);
}

}  // namespace

PortNumbers port_numbers(const Blueprint& b, const NodeGraph& graph) {
  return {static_cast<Port>(graph.links().size()), static_cast<Port>(b.ranks_per_node),
          static_cast<Port>(b.of_kind(Kind::nic).size())};
}

WireTable::WireTable(const Blueprint& blueprint, const NodeGraph& graph, Extent extent, Usage& usage)
    : blueprint_(blueprint),
      graph_(graph),
      usage_(usage),
      size_(blueprint.vertices.size()),
      local_(size_ * size_),
      copy_(size_ * size_),
      remote_(size_ * size_ * static_cast<std::size_t>(extent.levels)) {
  fill_node(extent.slots);
  if (extent.nodes > 1) fill_remote(extent);
}

bool WireTable::is_gpu(int vertex) const {
  return blueprint_.vertices[static_cast<std::size_t>(vertex)].kind == Kind::gpu;
}

WireTable::Software WireTable::software(const Blueprint::Costs& c) {
  return {usage_.time(c.overhead), usage_.time(c.receive_overhead), usage_.time(c.latency),
          usage_.time(c.gap)};
}

void WireTable::add(Wire& wire, const Software& sender, const Software& receiver) {
  wire.overhead = sender.overhead;
  wire.receive_overhead = receiver.receive_overhead;
  wire.gap = sender.gap;
  wire.latency += std::max(sender.latency, receiver.latency);
}

/// The links from vertex to vertex: latencies add up, the slowest link sets the pace.
Wire WireTable::hardware(int from, int to) {
  Wire wire;
  for (int l : graph_.route(from, to)) {
    const Blueprint::Line& line =
        blueprint_.lines[static_cast<std::size_t>(graph_.links()[static_cast<std::size_t>(l)].line)];
    const Blueprint::LinkKind& kind = blueprint_.link_kinds[static_cast<std::size_t>(line.kind)];
    wire.latency += usage_.time(kind.latency);
    wire.per_byte = slower(wire.per_byte, 1.0 / (line.count * usage_.bandwidth(kind.bandwidth)));
  }
  return wire;
}

void WireTable::fill_node(int slots) {
  std::vector<int> shared(size_);
  std::vector<bool> seen(2 * size_ * size_);
  for (int a = 0; a < slots; ++a) {
    for (Memory m : {Memory::device, Memory::host, Memory::dpu}) {
      const int from = graph_.place(a, m);
      if (from < 0 || (m == Memory::host && from == graph_.place(a, Memory::device))) continue;
      if (++shared[static_cast<std::size_t>(from)] == 2) fill_loop(from);
      for (int b = 0; b < slots; ++b)
        for (Memory n : {Memory::device, Memory::host, Memory::dpu}) {
          const int to = graph_.place(b, n);
          if (to < 0 || to == from) continue;
          const std::size_t pair = 2 * index(from, to) + (a == b);
          if (!seen[pair]) fill_local(from, to, a == b);
          seen[pair] = true;
        }
    }
  }
}

void WireTable::fill_local(int from, int to, bool same_slot) {
  Wire wire = hardware(from, to);
  const std::vector<int>& route = graph_.route(from, to);
  const PortNumbers ports = port_numbers(blueprint_, graph_);
  wire.out = ports.link_out(route.front());
  wire.in = ports.link_in(route.back());
  const Blueprint::Costs& in_node_from = is_gpu(from) ? blueprint_.device_in_node : blueprint_.host_in_node;
  const Blueprint::Costs& in_node_to = is_gpu(to) ? blueprint_.device_in_node : blueprint_.host_in_node;
  add(wire, software(same_slot ? blueprint_.copy : in_node_from),
      software(same_slot ? blueprint_.copy : in_node_to));
  (same_slot ? copy_ : local_)[index(from, to)] = wire;
}

/// Its ports are the slots' own.
void WireTable::fill_loop(int vertex) {
  const Blueprint::Line& line = blueprint_.lines[static_cast<std::size_t>(graph_.loop(vertex))];
  const Blueprint::LinkKind& kind = blueprint_.link_kinds[static_cast<std::size_t>(line.kind)];
  Wire wire;
  wire.latency = usage_.time(kind.latency);
  wire.per_byte = 1.0 / (line.count * usage_.bandwidth(kind.bandwidth));
  const Software cost = software(is_gpu(vertex) ? blueprint_.device_in_node : blueprint_.host_in_node);
  add(wire, cost, cost);
  local_[index(vertex, vertex)] = wire;
}

void WireTable::fill_remote(Extent extent) {
  std::vector<int> places;
  for (int s = 0; s < extent.slots; ++s)
    for (Memory m : {Memory::device, Memory::host, Memory::dpu})
      if (const int v = graph_.place(s, m); v >= 0 && std::ranges::find(places, v) == places.end())
        places.push_back(v);
  for (int level = 1; level <= extent.levels; ++level)
    for (int from : places)
      for (int to : places)
        remote_[static_cast<std::size_t>(level - 1) * size_ * size_ + index(from, to)] =
            across(level, from, to);
}

/// Down to the NIC, up to `level` and down again, and from the NIC to the memory.
Wire WireTable::across(int level, int from, int to) {
  const Blueprint& b = blueprint_;
  const std::vector<int> nics = b.of_kind(Kind::nic);
  const int nic_out = graph_.nic_of(from), nic_in = graph_.nic_of(to);
  const Wire before = hardware(from, nics[static_cast<std::size_t>(nic_out)]);
  const Wire after = hardware(nics[static_cast<std::size_t>(nic_in)], to);
  Wire wire;
  wire.latency = before.latency + 2 * usage_.time(b.latency) +
                 (2 * level - 1) * usage_.time(b.switch_latency) + after.latency;
  wire.per_byte = slower(slower(before.per_byte, after.per_byte), 1.0 / usage_.bandwidth(*b.bandwidth));
  for (int l = 0; l < level - 1; ++l) {
    const Blueprint::Level& of = b.levels[static_cast<std::size_t>(l)];
    if (of.bandwidth)
      wire.per_byte = slower(wire.per_byte, 1.0 / (of.cables * usage_.bandwidth(*of.bandwidth)));
  }
  const PortNumbers ports = port_numbers(b, graph_);
  wire.out = ports.nic_out(nic_out);
  wire.in = ports.nic_in(nic_in);
  add(wire, software(is_gpu(from) ? b.device_between : b.host_between),
      software(is_gpu(to) ? b.device_between : b.host_between));
  return wire;
}

}  // namespace collcast
