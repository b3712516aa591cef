// SPDX-License-Identifier: Apache-2.0
#include "libraries/situation.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "libraries/nccl/rccl.hpp"
#include "libraries/nccl/ring_search.hpp"
#include "platforms/description/node_graph.hpp"
#include "platforms/machine/machine.hpp"
#include "platforms/machine/paths.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

/// The processor by the names of devices; NCCL treats unknown ones like Intel's.
const std::pair<std::string, Cpu> cpus[] = {{"Xeon", Cpu::intel}, {"EPYC", Cpu::amd}, {"POWER", Cpu::power}};

void recognise(Cpu& kind, const std::string& device) {
  for (const auto& [part, meaning] : cpus)
    if (device.find(part) != std::string::npos) kind = meaning;
}

/// The generation by compute capability, as NCCL's tuner has it: below 8 the constants of Volta hold, and
/// LL128 runs on 7.0, 8.0, 9.0 and 10.0 only (NCCL 2.18, src/graph/tuning.cc).
const std::map<std::string, Gpu> generations = {
    {"kepler", Gpu::pascal},       {"maxwell", Gpu::pascal}, {"pascal", Gpu::pascal}, {"volta", Gpu::volta},
    {"turing", Gpu::pascal},       {"ampere", Gpu::ampere},  {"ada", Gpu::ampere},    {"hopper", Gpu::hopper},
    {"blackwell", Gpu::blackwell}, {"cdna2", Gpu::cdna2},    {"cdna3", Gpu::cdna3}};

/// The generation of a device; empty if the platform does not say.
std::string generation_of(const Description& description, const std::string& device) {
  return description.json()["devices"][device].value("generation", "");
}

Gpu gpu_for_nccl(const Description& description, const std::string& device, const std::string& policy) {
  const std::string generation = generation_of(description, device);
  const auto found = generations.find(generation);
  const bool rccl = policy.starts_with("rccl"), known = found != generations.end();
  if (known && of_amd(found->second) == rccl) return found->second;
  if (!generation.empty())
    throw InputError(
        policy + " does not support the " + (generation == "other" ? "" : generation + " ") + "GPU " +
        device + "; it supports " + (rccl ? "CDNA 2 and 3 of AMD" : "those of NVIDIA") +
        (known ? ", " + nccl::release_for(found->second, nccl::usual_minor).text() + " this one" : ""));
  const std::string path = "devices." + device + ".generation";
  throw InputError(policy + " needs the generation of the GPU " + device +
                   ", which the platform does not give; " + "give " + path + " in its file, or --set " +
                   path + "=volta");
}

/// If ranks have GPUs of several generations, NCCL takes the constants of the oldest.
Gpu gpu_for_nccl(const Description& description, const Blueprint& b, const std::string& policy) {
  std::optional<Gpu> oldest;
  for (const int v : b.ranks_on) {
    const Blueprint::Vertex& vertex = b.vertices[static_cast<std::size_t>(v)];
    if (vertex.kind != Blueprint::Vertex::Kind::gpu)
      throw InputError(policy + " needs GPUs, and the ranks of " + b.name + " sit on " + vertex.name +
                       "; the policies of MPI libraries, such as mpich, do not");
    const std::string& device = b.devices[static_cast<std::size_t>(vertex.device)].name;
    const Gpu gpu = gpu_for_nccl(description, device, policy);
    oldest = oldest ? std::min(*oldest, gpu) : gpu;
  }
  return *oldest;
}

/// The minor release of NCCL 2.
int minor_of(const std::string& policy) {
  const auto nccl = nccl::parse(policy);
  return nccl ? nccl->release.minor : nccl::usual_minor;
}

/// The blueprint with only those GPUs that the first `used` ranks of a node use.
Blueprint with(Blueprint b, Rank used) {
  const int last = b.vertex_of_slot(used - 1);
  b.ranks_per_node = used;
  b.ranks_on.erase(std::ranges::find(b.ranks_on, last) + 1, b.ranks_on.end());
  return b;
}

/// The first release that counts a card behind a processor as near the GPU that NVLink-C2C joins to this
/// processor (release notes of NCCL 2.27.3; PATH_P2C, src/graph/topo.h).
constexpr int cards_by_c2c = 27;

/// Whether every GPU has a route to its NIC that passes PCIe switches only, or, if `by_c2c`, the processor
/// that it reaches by NVLink-C2C.
bool gpudirect(const Blueprint& b, bool by_c2c) {
  const NodeGraph graph(b);
  const std::vector<int> nics = b.of_kind(Blueprint::Vertex::Kind::nic);
  const auto is_c2c = [&](const NodeGraph::Link& link) {
    const Blueprint::Line& line = b.lines[static_cast<std::size_t>(link.line)];
    return b.link_kinds[static_cast<std::size_t>(line.kind)].name == "c2c";
  };
  return std::ranges::all_of(b.ranks_on, [&](int gpu) {
    const int nic = graph.nic_of(gpu);
    return nic >= 0 && std::ranges::all_of(graph.route(gpu, nics[static_cast<std::size_t>(nic)]), [&](int l) {
             const NodeGraph::Link& link = graph.links()[static_cast<std::size_t>(l)];
             return b.vertices[static_cast<std::size_t>(link.to)].kind != Blueprint::Vertex::Kind::cpu ||
                    (by_c2c && link.from == gpu && is_c2c(link));
           });
  });
}

ChannelReach reach(Rank nodes) {
  return nodes > 1 ? ChannelReach::network : ChannelReach::node;
}

ChannelSpeeds speeds(const std::string& policy, Gpu oldest) {
  return nccl_speeds(minor_of(policy), oldest);
}

/// The channels of a node; RCCL has rings of its own for nodes that it recognises.
Channels channels_of(const Blueprint& b, ChannelShape shape, ChannelReach reach, const std::string& policy,
                     Gpu oldest) {
  if (of_amd(oldest))
    if (nccl::RcclNode node = nccl::rccl_node(b, reach); !node.rings.channels.empty()) return node.rings;
  return find_channels(b, shape, reach, speeds(policy, oldest));
}

void set_rccl(Situation& s, const Blueprint& b, bool has_ll128) {
  const nccl::RcclNode node = nccl::rccl_node(b, reach(s.nodes));
  s.rccl_tuning = node.tuning;
  s.rccl_ll128 = node.ll128 && has_ll128;
  s.rccl_links = BytesPerSecond(nccl::rccl_links(b, s.gpu) * 1e9);
}

/// Keeps the fewer channels, at the lower speed, as NCCL does over all nodes (initTransportsRank,
/// src/init.cc).
void keep_least(Channels& c, const Channels& other) {
  if (other.channels.size() < c.channels.size()) c.channels.resize(other.channels.size());
  c.bandwidth = std::min(c.bandwidth, other.bandwidth);
}

BytesPerSecond bandwidth_of_all(const Channels& c) {
  return static_cast<double>(c.channels.size()) * c.bandwidth;
}

bool alike(const Channels& c) {
  return std::ranges::all_of(c.channels, [&](const auto& other) { return other.gpus == c.channels[0].gpus; });
}

int network_cards(const Channels& c) {
  std::set<int> nics;
  for (const Channels::Channel& channel : c.channels) nics.insert(channel.nic);
  return std::max(1, static_cast<int>(nics.size()));
}

/// The platform without MPI's software, which does not carry NCCL's messages.
Machine hardware(const Description& description, Rank ranks) {
  Json json = description.json();
  json.erase("software");
  return {{description.name(), description.file(), std::move(json)}, ranks};
}

/// The network latency that NCCL's constants include: InfiniBand's.
constexpr Seconds of_infiniband(1e-6);

Seconds network_latency(const Blueprint& b) {
  if (b.network == Blueprint::Network::uniform || !b.latency) return {};
  const double us = 2 * b.latency->value + (b.switch_latency ? b.switch_latency->value : 0);
  return std::max(Seconds(us * 1e-6) - of_infiniband, Seconds(0));
}

/// Sets the rails and their bandwidths, and that of trees. NCCL searches again for faster trees within a
/// node, up to twice the speed between nodes; NVLinks have that much room.
void set_rails(Situation& s, const Channels& found, const Machine& machine, const Blueprint& b) {
  const auto between_nodes = [&](Memory memory) {
    const Rank other = machine.ranks_per_node();
    return 1.0 / machine.wire({0, memory}, {other, memory}, machine.sizes().back()).per_byte;
  };
  s.rail_bandwidth = s.gpudirect_bandwidth = between_nodes(Memory::device);
  s.staged = !b.of_kind(Blueprint::Vertex::Kind::cpu).empty();
  if (s.staged) s.rail_bandwidth = std::max(s.rail_bandwidth, between_nodes(Memory::host));
  s.network_latency = network_latency(b);
  if (found.nvlink) s.tree_bandwidth = 2 * found.bandwidth;
}

}  // namespace

Situation situation(const Description& description, Rank ranks, const std::string& policy) {
  const Rank node = read_blueprint(description).ranks_per_node, full = (ranks - 1) / node;
  return situation(description, Occupancy{full + 1, std::min(ranks, node), ranks - full * node}, policy);
}

Situation situation(const Description& description, Occupancy o, const std::string& policy) {
  const Blueprint node = read_blueprint(description), b = with(node, o.on_a_node);
  const Rank ranks = (o.nodes - 1) * node.ranks_per_node + o.on_a_node;
  Situation s;
  s.nodes = o.nodes;
  s.on_a_node = o.on_a_node, s.on_the_first = o.on_the_first;
  for (const Blueprint::Vertex& v : b.vertices)
    if (v.device >= 0) recognise(s.cpu, b.devices[static_cast<std::size_t>(v.device)].name);
  if (nccl::parse(policy)) s.gpu = gpu_for_nccl(description, b, policy);
  if (of_amd(s.gpu)) set_rccl(s, b, minor_of(policy) >= nccl::rccl_with_ll128);
  s.gpudirect = gpudirect(b, since_hopper(s.gpu) && minor_of(policy) >= cards_by_c2c);
  const auto rings_of = [&](const Blueprint& of, ChannelReach reach) {
    return channels_of(of, ChannelShape::ring, reach, policy, s.gpu);
  };
  Channels found = rings_of(b, reach(s.nodes));
  s.rails = network_cards(found);
  if (o.at_least < o.on_a_node) {
    const Channels fewest = rings_of(with(node, o.at_least), reach(s.nodes));
    s.node_bandwidth = std::min(bandwidth_of_all(found), bandwidth_of_all(fewest));
    keep_least(found, fewest);
    s.rails = std::min(s.rails, network_cards(fewest));
  }
  if (found.nvlink && s.nodes > 1) {
    const Channels alone = of_amd(s.gpu) ? found : rings_of(b, ChannelReach::node);
    s.nvlink_bandwidth = bandwidth_of_all(alone);
  }
  s.link = found.nvlink ? NodeLink::nvlink : NodeLink::pci;
  s.channels = std::max(1, static_cast<int>(found.channels.size()));
  s.intra_bandwidth = found.bandwidth;
  if (found.channels.empty()) {
    const SecondsPerByte slowest = slowest_path(Machine(description, ranks)).beta;
    s.intra_bandwidth = slowest.value > 0 ? 1.0 / slowest : BytesPerSecond(12e9);
  }
  s.inter_bandwidth = s.intra_bandwidth;
  if (s.rccl_links == BytesPerSecond(0)) s.rccl_links = s.channels * s.intra_bandwidth;  // RCCL counts none
  if (b.within.multicast && b.within.reduction) {
    const Channels switched =
        find_switch_channels(with(node, o.at_least), reach(s.nodes), speeds(policy, s.gpu));
    s.switch_channels = static_cast<int>(switched.channels.size());
    s.switch_bandwidth = switched.bandwidth;
  }
  s.same_channels = alike(found);
  if (s.nodes > 1) set_rails(s, found, hardware(description, ranks), b);
  return s;
}

std::optional<Gpu> supported_gpu(const Description& description) {
  const Blueprint b = read_blueprint(description);
  std::optional<Gpu> oldest;
  for (const int v : b.ranks_on) {
    const Blueprint::Vertex& vertex = b.vertices[static_cast<std::size_t>(v)];
    if (vertex.kind != Blueprint::Vertex::Kind::gpu) return {};
    const std::string& device = b.devices[static_cast<std::size_t>(vertex.device)].name;
    const auto found = generations.find(generation_of(description, device));
    if (found == generations.end() || (oldest && of_amd(*oldest) != of_amd(found->second))) return {};
    oldest = oldest ? std::min(*oldest, found->second) : found->second;
  }
  return oldest;
}

Channels channels(const Description& description, Rank nodes, Rank on_the_node, const std::string& policy,
                  ChannelShape shape) {
  const Blueprint b = with(read_blueprint(description), on_the_node);
  return channels_of(b, shape, reach(nodes), policy, gpu_for_nccl(description, b, policy));
}

}  // namespace collcast
