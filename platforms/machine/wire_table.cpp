// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine/wire_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace collcast {
namespace {

using Kind = Blueprint::Vertex::Kind;

SecondsPerByte slower(SecondsPerByte a, SecondsPerByte b) {
  return std::max(a, b);
}

Bytes kibibytes(double n) {
  return Bytes(n * 1024);
}

/// From which size on a piece holds. No message is of less than a byte: where a few bytes are shared out
/// among many ranks, a block of less stands for some of one byte and others of none. A piece that begins at a
/// byte or below therefore holds for all but empty messages.
Bytes begin(const Blueprint::Piece& piece) {
  const Bytes from = kibibytes(piece.from.value);
  return from <= Bytes(1) ? just_above(Bytes(0)) : from;
}

/// A cost for messages of this size: that of the size's piece, or, if the piece leaves it out, that of the
/// smallest messages.
const std::optional<Parameter>& cost_at(const Blueprint::Software& software, Bytes bytes,
                                        std::optional<Parameter> Blueprint::Costs::*key) {
  const auto beyond =
      std::ranges::find_if(software.pieces, [bytes](const Blueprint::Piece& p) { return begin(p) > bytes; });
  const bool own = beyond != software.pieces.begin() && std::prev(beyond)->costs.*key;
  return own ? std::prev(beyond)->costs.*key : software.costs.*key;
}

/// Numbers the vertices of memories of slots, and of NICs; returns how many there are.
int number_ends(const Blueprint& b, const NodeGraph& graph, int slots, std::vector<int>& numbers) {
  int count = 0;
  const auto number = [&](int vertex) {
    if (vertex >= 0 && numbers[static_cast<std::size_t>(vertex)] < 0)
      numbers[static_cast<std::size_t>(vertex)] = count++;
  };
  for (int s = 0; s < slots; ++s)
    for (const Memory m : {Memory::device, Memory::host, Memory::dpu}) number(graph.place(s, m));
  for (const int nic : b.of_kind(Blueprint::Vertex::Kind::nic)) number(nic);
  return count;
}

}  // namespace

bool feeds_several_links(const Blueprint& b) {
  return b.network == Blueprint::Network::torus && !b.trunks.empty() && b.trunks.front().bandwidth &&
         b.hold == MessageProtocol::Hold::injection;
}

PortNumbers port_numbers(const Blueprint& b, const NodeGraph& graph) {
  // If there is no network, a node's adapters have no ports, and no stated bandwidth.
  const std::size_t nics = b.network == Blueprint::Network::none ? 0 : b.of_kind(Kind::nic).size();
  return {static_cast<Port>(graph.links().size()), static_cast<Port>(b.ranks_per_node),
          static_cast<Port>(nics)};
}

WireTable::WireTable(const Blueprint& blueprint, const NodeGraph& graph, const Extent& extent, Usage& usage)
    : blueprint_(blueprint),
      graph_(graph),
      usage_(usage),
      numbers_(blueprint.vertices.size(), -1),
      size_(static_cast<std::size_t>(number_ends(blueprint, graph, extent.slots, numbers_))),
      local_(size_ * size_),
      copy_(size_ * size_),
      remote_(size_ * size_ * extent.ways.size()),
      hardware_(size_ * size_) {
  fill_node(extent.slots);
  fill_remote(extent);
}

bool WireTable::is(Kind kind, int vertex) const {
  return blueprint_.vertices[static_cast<std::size_t>(vertex)].kind == kind;
}

const Blueprint::Device& WireTable::device(int vertex) const {
  const int device = blueprint_.vertices[static_cast<std::size_t>(vertex)].device;
  return blueprint_.devices[static_cast<std::size_t>(device)];
}

bool WireTable::one_copy_engine(int vertex) {
  const auto& engines = device(vertex).copy_engines;
  if (!is(Kind::gpu, vertex) || !engines) return false;
  usage_.mention(*engines);
  return engines->value < 2;
}

SizedWire WireTable::with_software(const Wire& hardware, int from, int to,
                                   const Blueprint::SoftwareByMemory& software) {
  const bool device = is(Kind::gpu, from), to_device = is(Kind::gpu, to);
  const auto& mixed = device ? software.device_to_host : software.host_to_device;
  if (device != to_device && mixed) return with_software(hardware, *mixed, *mixed);
  const auto side = [&](int vertex) -> const Blueprint::Software& {
    if (is(Kind::gpu, vertex)) return software.device;
    return is(Kind::dpu, vertex) && software.dpu ? *software.dpu : software.host;
  };
  return with_software(hardware, side(from), side(to));
}

SizedWire WireTable::with_software(const Wire& hardware, const Blueprint::Software& sender,
                                   const Blueprint::Software& receiver) {
  SizedWire sized;
  for (const Terms& t : terms(sender, receiver)) {
    Wire wire = t.wire;
    wire.out = hardware.out, wire.in = hardware.in;
    wire.latency = hardware.latency + t.wire.latency;
    wire.per_byte = slower(hardware.per_byte, t.wire.per_byte);
    wire.software = wire.per_byte - hardware.per_byte;
    if (t.copy > wire.per_byte)
      wire.per_byte = t.copy;
    else
      wire.spare_in = hardware.spare_in, wire.spare_out = hardware.spare_out;
    sized.add(t.from, {wire, t.copied, t.sending, t.receiving});
  }
  return sized;
}

const std::vector<WireTable::Terms>& WireTable::terms(const Blueprint::Software& sender,
                                                      const Blueprint::Software& receiver) {
  const auto [at, added] = terms_.try_emplace({&sender, &receiver});
  if (!added) return at->second;
  std::set<Bytes> sizes = {Bytes(0)};
  for (const Blueprint::Software* side : {&sender, &receiver}) {
    for (const Blueprint::Piece& p : side->pieces) {
      if (kibibytes(p.from.value) > Bytes(1)) usage_.mention(p.from);
      sizes.insert(begin(p));
    }
    if (const Bytes limit = eager_limit(*side); std::isfinite(limit.value)) sizes.insert(just_above(limit));
  }
  for (const Bytes bytes : sizes) at->second.push_back(terms(bytes, sender, receiver));
  sizes_.merge(sizes);
  return at->second;
}

/// What the software of both sides adds. Overheads come from each side's own software. Of costs that both
/// sides determine, the larger one holds.
WireTable::Terms WireTable::terms(Bytes bytes, const Blueprint::Software& sender,
                                  const Blueprint::Software& receiver) {
  using Costs = Blueprint::Costs;
  const auto from = [&](auto key) -> const auto& {
    return cost_at(sender, bytes, key);
  };
  const auto to = [&](auto key) -> const auto& {
    return cost_at(receiver, bytes, key);
  };
  Wire wire;
  wire.overhead = usage_.time(from(&Costs::overhead));
  wire.receive_overhead = usage_.time(to(&Costs::receive_overhead));
  wire.gap = usage_.time(from(&Costs::gap));
  wire.other_sender = usage_.time(receiver.other_sender);
  other_senders_ = other_senders_ || wire.other_sender > Seconds(0);
  wire.latency = std::max(usage_.time(from(&Costs::latency)), usage_.time(to(&Costs::latency)));
  for (const auto* bandwidth : {&from(&Costs::bandwidth), &to(&Costs::bandwidth)})
    if (*bandwidth) wire.per_byte = slower(wire.per_byte, 1.0 / usage_.bandwidth(**bandwidth));
  wire.eager = bytes <= std::min(eager_limit(sender), eager_limit(receiver));
  if (!wire.eager) wire.handshake = std::max(handshake(sender), handshake(receiver));
  const auto pace = [this](const std::optional<Parameter>& copy) {
    return copy ? 1.0 / usage_.bandwidth(*copy) : SecondsPerByte();
  };
  if (!wire.eager && receiver.single_copy)
    return {bytes, wire, pace(receiver.single_copy), slower(pace(from(&Costs::copy)), pace(to(&Costs::copy))),
            {},    {}};
  return {bytes,
          wire,
          {},
          slower(pace(from(&Costs::copy)), pace(to(&Costs::copy))),
          pace(from(&Costs::processor)),
          pace(to(&Costs::processor))};
}

/// The largest eager message. Copies within a rank have no protocol, and so no limit.
Bytes WireTable::eager_limit(const Blueprint::Software& software) {
  const auto& limit = software.eager_limit ? software.eager_limit : blueprint_.eager_limit;
  const bool none = !limit || blueprint_.hold == MessageProtocol::Hold::delivery ||
                    &software == &blueprint_.copy || &software == &blueprint_.dpu_copy;
  return none ? MessageProtocol().eager_limit : kibibytes(usage_.take(*limit));
}

Seconds WireTable::handshake(const Blueprint::Software& software) {
  return usage_.time(software.handshake ? software.handshake : blueprint_.handshake);
}

const Wire& WireTable::hardware(int from, int to) {
  std::optional<Wire>& wire = hardware_[index(from, to)];
  if (!wire) wire = read_hardware(from, to);
  return *wire;
}

/// The wire of the links between two vertices: latencies add up, and the slowest link determines the
/// bandwidth.
Wire WireTable::read_hardware(int from, int to) {
  Wire wire;
  for (int l : graph_.route(from, to)) {
    const Blueprint::Line& line =
        blueprint_.lines[static_cast<std::size_t>(graph_.links()[static_cast<std::size_t>(l)].line)];
    const Blueprint::LinkKind& kind = blueprint_.link_kinds[static_cast<std::size_t>(line.kind)];
    wire.latency += usage_.time(kind.latency);
    const SecondsPerByte last = 1.0 / (line.count * usage_.bandwidth(kind.bandwidth));
    wire.per_byte = slower(wire.per_byte, last);
    wire.spare_in = wire.per_byte - last;
  }
  return wire;
}

void WireTable::fill_node(int slots) {
  std::vector<int> shared(numbers_.size());
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
  if (same_slot) {
    // With one copy engine, copies to the device and from it are done one after another.
    if (one_copy_engine(to)) wire.out = ports.link_out(graph_.route(to, from).front());
    const bool dpu = is(Kind::dpu, from) || is(Kind::dpu, to);
    const Blueprint::Software& copy = dpu ? blueprint_.dpu_copy : blueprint_.copy;
    copy_[index(from, to)] = with_software(wire, copy, copy);
    return;
  }
  const bool one_socket = graph_.host_of(from) == graph_.host_of(to);
  const Blueprint::SoftwareByMemory& by = one_socket ? blueprint_.in_node : blueprint_.across_sockets;
  local_[index(from, to)] = with_software(wire, from, to, by);
}

/// Fills the wire of copies within the memory of a vertex. Its ports, those of the slots, are not set here.
void WireTable::fill_loop(int vertex) {
  const Blueprint::Line& line = blueprint_.lines[static_cast<std::size_t>(graph_.loop(vertex))];
  const Blueprint::LinkKind& kind = blueprint_.link_kinds[static_cast<std::size_t>(line.kind)];
  Wire wire;
  wire.latency = usage_.time(kind.latency);
  wire.per_byte = 1.0 / (line.count * usage_.bandwidth(kind.bandwidth));
  local_[index(vertex, vertex)] = with_software(wire, vertex, vertex, blueprint_.in_node);
}

void WireTable::fill_remote(const Extent& extent) {
  std::vector<int> places;
  for (int s = 0; s < extent.slots; ++s)
    for (Memory m : {Memory::device, Memory::host, Memory::dpu})
      if (const int v = graph_.place(s, m); v >= 0 && std::ranges::find(places, v) == places.end())
        places.push_back(v);
  for (std::size_t way = 0; way < extent.ways.size(); ++way)
    for (int from : places)
      for (int to : places)
        remote_[way * size_ * size_ + index(from, to)] = across(extent.ways[way], from, to);
}

/// The wire between nodes: to the NIC, through the network, and from the NIC to the memory.
SizedWire WireTable::across(const Crossing& way, int from, int to) {
  const Blueprint& b = blueprint_;
  const std::vector<int> nics = b.of_kind(Kind::nic);
  const int nic_out = graph_.nic_of(from), nic_in = graph_.nic_of(to);
  const Wire& before = hardware(from, nics[static_cast<std::size_t>(nic_out)]);
  const Wire& after = hardware(nics[static_cast<std::size_t>(nic_in)], to);
  Wire wire;
  wire.latency = before.latency + 2 * usage_.time(b.latency) + way.switches * usage_.time(b.switch_latency) +
                 after.latency;
  SecondsPerByte port_in = 1.0 / usage_.bandwidth(*b.bandwidth);
  wire.per_byte = slower(slower(before.per_byte, after.per_byte), port_in);
  if (const auto& limit = device(from).gpudirect_read)
    wire.per_byte = slower(wire.per_byte, 1.0 / usage_.bandwidth(*limit));
  if (const auto& limit = device(to).gpudirect_write) {
    port_in = slower(port_in, 1.0 / usage_.bandwidth(*limit));
    wire.per_byte = slower(wire.per_byte, port_in);
  }
  for (int trunk : way.trunks) {
    const Blueprint::Trunk& of = b.trunks[static_cast<std::size_t>(trunk)];
    wire.latency += usage_.time(of.latency);
    if (of.bandwidth)
      wire.per_byte = slower(wire.per_byte, 1.0 / (of.cables * usage_.bandwidth(*of.bandwidth)));
  }
  wire.spare_in = wire.per_byte - port_in;
  if (feeds_several_links(b)) wire.spare_out = wire.per_byte - 1.0 / usage_.bandwidth(*b.bandwidth);
  const PortNumbers ports = port_numbers(b, graph_);
  wire.out = ports.nic_out(nic_out);
  wire.in = ports.nic_in(nic_in);
  return with_software(wire, from, to, b.between_nodes);
}

}  // namespace collcast
