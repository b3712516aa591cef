// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "model/network.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// A platform file as typed values, with names resolved and counts checked against each other.
struct Blueprint {
  struct Device {
    std::string name;
    std::optional<Parameter> reduce, memory_bandwidth, cores, copy_engines;
    std::optional<Parameter> gpudirect_read, gpudirect_write;  ///< access to its memory by a network card
  };
  struct Vertex {
    enum class Kind : std::uint8_t { gpu, cpu, nic, network_switch, dpu, nvme };
    std::string name;
    Kind kind;
    int device = -1;  ///< index in `devices`; -1: none
  };
  struct LinkKind {
    enum class Type : std::uint8_t { nvlink, pcie, socket, memory, unknown };
    std::string name;
    Type type;
    Parameter bandwidth, latency;
  };
  /// Links between two vertices, in both directions unless they are one-way. From a vertex to itself: copies
  /// within its memory.
  struct Line {
    int from, to;
    int kind;  ///< index in `link_kinds`
    int count;
    bool one_way;
  };
  struct Level {
    std::string name;
    int down;
    int up;  ///< 0 at the top
  };
  /// The links between two switches.
  struct Trunk {
    std::optional<Parameter> bandwidth = {};  ///< bandwidth of a cable; empty: as the network's
    int cables = 1;                           ///< in parallel
    std::optional<Parameter> latency = {};    ///< in addition to that of switches
  };
  struct Routing {
    bool hashed = false;  ///< ECMP, Valiant; else D-mod-k or minimal
    std::uint64_t seed = 1;
    bool adaptive = false;  ///< switches send each packet where there is room
  };
  struct Groups {
    int count = 1, switches = 1;
    int chassis = 1;  ///< chassis of a group; its switches fill them in order
    int cables = 1;   ///< cables between any two groups

    /// The most links to other groups that a switch has.
    int global_ports() const { return ((count - 1) * cables + switches - 1) / switches; }
  };
  struct Multicast {
    std::optional<Parameter> mtu, header, packet_overhead, loss, recovery;
  };
  struct InNetworkReduction {
    std::optional<Parameter> message_limit, outstanding, switch_latency, bandwidth_share;
  };
  /// What the switches of a node, or of the network, can do.
  struct Capabilities {
    std::optional<Multicast> multicast;
    std::optional<InNetworkReduction> reduction;
  };
  enum class Network : std::uint8_t { none, uniform, single_switch, fat_tree, torus, dragonfly };
  /// Software costs of a message. A cost that is left out is 0, and a bandwidth unlimited.
  struct Costs {
    std::optional<Parameter> overhead, receive_overhead, latency, gap, bandwidth, copy, processor;
  };
  /// Costs of messages from size `from` to that of the next piece. Costs that are left out are those of the
  /// smallest messages.
  struct Piece {
    Parameter from;
    Costs costs;
  };
  struct Software {
    Costs costs;                                      ///< of the smallest messages
    std::vector<Piece> pieces;                        ///< by growing size
    std::optional<Parameter> eager_limit, handshake;  ///< empty: those of the protocol
    std::optional<Parameter>
        single_copy;  ///< bandwidth of the receiver's copy in a rendezvous; empty: as eager
    std::optional<Parameter> other_sender;  ///< what a message costs more after one from another sender
  };
  struct SoftwareByMemory {
    Software device, host;
    std::optional<Software> device_to_host, host_to_device;  ///< empty: each end has the costs of its memory
    std::optional<Software> dpu;                             ///< of the DPU's cores; empty: as the host
  };
  /// NCCL's costs: launching a kernel of one channel, each further channel, the hop of a ring and of a tree
  /// to another node, and how long a message keeps a network proxy busy.
  struct NcclCosts {
    std::optional<Parameter> launch, channel, hop, tree_hop, proxy;
  };

  std::string name, file;
  std::int64_t max_nodes;
  struct Room {
    std::int64_t nodes = 0;
    std::string key;
  };
  std::optional<Room> room;  ///< how many nodes the network has room for, and what enlarges it
  std::vector<Device> devices;
  std::vector<Vertex> vertices;
  std::vector<LinkKind> link_kinds;
  std::vector<Line> lines;
  std::vector<int> ranks_on;  ///< the vertex of each slot of a node
  int ranks_per_node;
  Capabilities within, between;  ///< nodes

  Network network;
  std::optional<Parameter> bandwidth, latency, switch_latency;
  int nodes_per_switch = 1;
  int switches_per_node = 1;  ///< over which a node's NICs are spread; the nodes of a group share them all
  std::vector<Level> levels;  ///< of a tree, from the leaves up; a single switch is one level of any width
  Routing routing;
  std::vector<int> dimensions;  ///< of a torus
  Groups groups;                ///< of a dragonfly
  /// The kinds of links between switches. Of a tree: by the level below. Of a torus: one. Of a dragonfly:
  /// within a chassis, between groups, and between the chassis of a group. Empty if there are no switches.
  std::vector<Trunk> trunks;

  MessageProtocol::Hold hold;
  std::optional<Parameter> eager_limit, handshake;
  SoftwareByMemory in_node, across_sockets, between_nodes;
  Software copy, dpu_copy;                                  ///< dpu_copy: by a DPU's cores
  std::optional<Parameter> offload_start, offload_handoff;  ///< of a collective, to a DPU's cores
  std::array<NcclCosts, 3> nccl;                            ///< LL, LL128, Simple

  std::vector<int> of_kind(Vertex::Kind kind) const;
  /// The vertex of the rank in a slot. Ranks fill the vertices one after the other.
  int vertex_of_slot(int slot) const {
    return ranks_on[static_cast<std::size_t>(slot) * ranks_on.size() /
                    static_cast<std::size_t>(ranks_per_node)];
  }
  /// How many ranks of a node share the vertex.
  int ranks_on_vertex(int vertex) const {
    int ranks = 0;
    for (int slot = 0; slot < ranks_per_node; ++slot) ranks += vertex_of_slot(slot) == vertex;
    return ranks;
  }
};

/// The description's blueprint, which the description keeps.
inline const Blueprint& read_blueprint(const Description& description) {
  return *description.blueprint();
}

/// Makes the blueprint, for the description itself. Throws InputError for names that do not exist and for
/// counts that do not add up.
Blueprint make_blueprint(const Description& description);

}  // namespace collcast
