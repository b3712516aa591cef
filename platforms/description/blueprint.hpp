// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "model/network.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// A platform file with types: names resolved, counts checked against each other.
struct Blueprint {
  struct Device {
    std::string name;
    std::optional<Parameter> reduce, memory_bandwidth, cores, copy_engines;
    std::optional<Parameter> gpudirect_read, gpudirect_write;  ///< by an adapter
  };
  struct Vertex {
    enum class Kind : std::uint8_t { gpu, cpu, nic, network_switch, dpu, nvme };
    std::string name;
    Kind kind;
    int device = -1;  ///< of `devices`; -1: none
  };
  struct LinkKind {
    enum class Type : std::uint8_t { nvlink, pcie, socket, memory, unknown };
    std::string name;
    Type type;
    Parameter bandwidth, latency;
  };
  /// Both directions; `from` == `to` is copying within that memory.
  struct Line {
    int from, to;
    int kind;  ///< of `link_kinds`
    int count;
  };
  struct Level {
    std::string name;
    int down;
    int up;  ///< 0 at the top
  };
  /// Links between switches, all alike.
  struct Trunk {
    std::optional<Parameter> bandwidth = {};  ///< of a cable; else the network's
    int cables = 1;                           ///< side by side
    std::optional<Parameter> latency = {};    ///< beside the switches'
  };
  struct Routing {
    bool drawn = false;  ///< by a hash: ECMP, Valiant; else D-mod-k, minimal
    std::uint64_t seed = 1;
  };
  struct Groups {
    int count = 1, switches = 1;
    int chassis = 1;  ///< of a group, which its switches fill one after the other
    int cables = 1;   ///< between any two groups

    /// The links to other groups that each switch has, at most.
    int global_ports() const { return ((count - 1) * cables + switches - 1) / switches; }
  };
  struct Multicast {
    std::optional<Parameter> mtu, header, groups, packet_overhead, loss, recovery;
  };
  struct InNetworkReduction {
    std::optional<Parameter> message_limit, outstanding, switch_latency, bandwidth_share;
  };
  /// Of the switches within a node, and of the network.
  struct Capabilities {
    std::optional<Multicast> multicast;
    std::optional<InNetworkReduction> reduction;
  };
  enum class Network : std::uint8_t { none, uniform, single_switch, fat_tree, torus, dragonfly };
  /// Of software, per message; what is left out counts as nothing, or as no bound.
  struct Costs {
    std::optional<Parameter> overhead, receive_overhead, latency, gap, bandwidth, copy, processor;
  };
  /// Costs of messages of `from` and more, until the next piece; what it leaves out is as for the smallest.
  struct Piece {
    Parameter from;
    Costs costs;
  };
  struct Software {
    Costs costs;                                      ///< of the smallest messages
    std::vector<Piece> pieces;                        ///< by growing size
    std::optional<Parameter> eager_limit, handshake;  ///< else those of the protocol
    std::optional<Parameter> single_copy;  ///< by the receiver, of a rendezvous; else as below the limit
  };
  struct SoftwareByMemory {
    Software device, host;
    std::optional<Software> device_to_host, host_to_device;  ///< else each end has its own
    std::optional<Software> dpu;                             ///< of its cores; else as the host
  };
  /// Of a kernel on one channel, of each further channel, of a ring's and of a tree's way to another node,
  /// and of what a message keeps a network proxy busy.
  struct NcclCosts {
    std::optional<Parameter> launch, channel, hop, tree_hop, proxy;
  };

  std::string name, file;
  std::int64_t max_nodes;
  std::vector<Device> devices;
  std::vector<Vertex> vertices;
  std::vector<LinkKind> link_kinds;
  std::vector<Line> lines;
  std::vector<int> ranks_on;  ///< vertices
  int ranks_per_node;
  Capabilities within, between;  ///< nodes

  Network network;
  std::optional<Parameter> bandwidth, latency, switch_latency;
  int nodes_per_switch = 1;
  int switches_per_node = 1;  ///< that its NICs spread over; the same nodes share them
  std::vector<Level> levels;  ///< of a tree, from the leaves up; one of any width for a single switch
  Routing routing;
  std::vector<int> dimensions;  ///< of a torus
  Groups groups;                ///< of a dragonfly
  /// Of a tree by the level below; of a torus one; of a dragonfly those within a chassis, between
  /// groups and between the chassis of a group.
  /// None where there are no switches.
  std::vector<Trunk> trunks;

  Protocol::Hold hold;
  std::optional<Parameter> eager_limit, handshake;
  SoftwareByMemory in_node, across_sockets, between_nodes;
  Software copy, dpu_copy;                                  ///< the latter by a DPU's cores
  std::optional<Parameter> offload_start, offload_handoff;  ///< of a collective, to a DPU's cores
  std::array<NcclCosts, 3> nccl;                            ///< LL, LL128, Simple

  std::vector<int> of_kind(Vertex::Kind kind) const;
  /// The vertex of a node's rank; the ranks fill the vertices one after the other.
  int vertex_of_slot(int slot) const {
    return ranks_on[static_cast<std::size_t>(slot) * ranks_on.size() /
                    static_cast<std::size_t>(ranks_per_node)];
  }
};

/// Throws InputError at names that dangle and at counts that do not add up.
Blueprint read_blueprint(const Description& description);

}  // namespace collcast
