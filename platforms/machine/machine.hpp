// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "model/overlap.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/description/node_graph.hpp"
#include "platforms/description/usage.hpp"
#include "platforms/machine/capabilities.hpp"
#include "platforms/machine/placement.hpp"
#include "platforms/machine/wire_table.hpp"
#include "platforms/network/topology.hpp"

namespace collcast {

/// The most ranks of a platform.
std::int64_t max_ranks(const Description& description);
/// Throws InputError if the platform has room for fewer ranks.
void require_room(const Description& platform, Rank ranks);

/// A platform with ranks placed on it. Set-up and memory are O(ranks). A wire is looked up by its class: the
/// vertices of its two ends, and the kind of route between their switches.
class Machine final : public Fabric {
 public:
  /// Throws InputError if the platform has no room for these ranks, or not in these places.
  Machine(const Description& description, Rank ranks, const Placement& placement = Placement::block);

  Rank ranks() const override { return ranks_; }
  /// Throws InputError if a node has no such memory.
  Wire wire(Place from, Place to, Bytes bytes) const override {
    return uniform_ ? uniform_->wire(from, to, bytes) : wire_of(from, to, bytes);
  }
  const void* kind(Place from, Place to) const override { return uniform_ ? nullptr : kind_of(from, to); }
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override;
  std::vector<Bytes> sizes() const override { return uniform_ ? uniform_->sizes() : wires_->sizes(); }
  SecondsPerByte gamma(Place place) const override {
    return gamma_[uniform_ ? 0 : static_cast<std::size_t>(vertex(place, seat(place.rank)))];
  }
  const MessageProtocol& protocol() const override { return protocol_; }
  std::optional<AlphaBetaGamma> hockney() const override {
    return uniform_ ? uniform_->hockney() : std::nullopt;
  }
  Port ports() const override;
  /// On the critical path a message queues only behind messages of its own rank. That ranks share ports is
  /// left to engines that model contention.
  Port queues() const override;
  std::string port_name(Port port) const override;

  /// Made on first use.
  const std::vector<Link>& links() const override;
  std::string link_name(LinkId link) const override;
  void route(Place from, Place to, std::vector<LinkId>& links) const override;

  const std::string& platform() const { return blueprint_.name; }
  int node(Rank rank) const { return uniform_ ? rank : static_cast<int>(seat(rank).node); }
  /// The rank's slot on its node.
  int slot(Rank rank) const { return uniform_ ? 0 : seat(rank).slot; }
  int ranks_per_node() const { return blueprint_.ranks_per_node; }
  /// The number of nodes that share a switch, then those of each larger part of the network: a subtree, or a
  /// group of a dragonfly.
  std::vector<std::int64_t> nodes_together() const;
  /// The halves of the network (Topology::halves), by rank.
  std::vector<Halves> halves() const;
  /// The vertex through which a rank's data leave its place, numbered over all nodes: ranks with the same
  /// number share it.
  int exit_vertex(Rank rank) const;
  /// The nodes near a rank: its own node, or, if routes depend on switches and not on network cards, the
  /// nodes that share its switches.
  int neighbourhood(Rank rank) const { return by_switch() ? seat(rank).group : node(rank); }
  /// Ranks that stand for all others as the far ends of messages, from other neighbourhoods and between these
  /// memories. A rank stands for others if more than half of the route to it is the route to them; it is the
  /// one nearest to the card or the switch.
  std::vector<Rank> far_ends(std::span<const Memory> of) const;
  /// Ranks with the same host memory have the same number.
  int socket(Rank rank) const;
  /// How many of a node's network adapters are next to none of its slots: no rank sends by them.
  int idle_adapters() const;
  /// The queue in which messages of `sender` wait that leave by the same port as `wire`, which is of the rank
  /// `other` of its node.
  Port queue_by(Rank sender, Rank other, const Wire& wire) const {
    return wire.out_queue + (static_cast<Port>(sender) - static_cast<Port>(other)) * ports_.queues();
  }
  /// The rank on the node of `here` in the slot that `there` has on its own node. If nobody sits in that
  /// slot, slots are dealt out to the ranks of the node in turn.
  Rank slot_peer(Rank here, Rank there) const;
  /// The rank on the node of `here` next to the card that serves the slot of `there`: no cpu is between it
  /// and the card, and only NVLinks between it and `here`. It is the rank in that slot, or else the first
  /// with that card.
  std::optional<Rank> next_to_card(Rank here, Rank there) const;
  /// The largest q such that ranks 0 to q-1 share a node, ranks q to 2q-1 another, and so on; the last node
  /// may have fewer.
  Rank consecutive_ranks() const;
  bool has_gpus() const { return !blueprint_.of_kind(Blueprint::Vertex::Kind::gpu).empty(); }
  /// The capabilities of the switches between all ranks: the node's if they share a node, else the network's.
  /// The textbook's switch can do everything, with no limits except the file's.
  Capabilities capabilities() const;
  /// The same for ranks that share a node.
  const Capabilities& node_capabilities() const;
  /// The number of cores of a node's DPUs, which can play schedules as workers; 0: no DPU.
  int dpu_cores() const;
  /// The cost of handing a collective to these cores.
  const Handoff& handoff() const { return handoff_; }
  /// Whether groups of nodes (`nodes_together`) with the same number of ranks have links of the same
  /// bandwidth to all others. They do in a fat tree, unless a file places the ranks.
  bool groups_alike() const { return !listed_ && blueprint_.network == Blueprint::Network::fat_tree; }
  /// Ranks among which every class of wire of the machine occurs.
  const std::vector<Rank>& representatives() const;
  /// The first link between switches: those of nodes and of their adapters have lower numbers.
  LinkId network() const {
    return static_cast<LinkId>(static_cast<std::size_t>(extent_.nodes) * node_links());
  }

  /// Paths of the parameters on which this machine depends.
  std::set<std::string> used_parameters() const { return usage_.paths(); }
  /// The weakest stamp among these parameters.
  Stamp stamp() const { return usage_.weakest(); }
  /// Whether all these parameters were measured, calibrated or set by the user.
  bool calibrated() const { return stamp() <= Stamp::calibrated; }

 private:
  const Seat& seat(Rank rank) const { return seats_[static_cast<std::size_t>(rank)]; }
  int vertex(Place place, const Seat& at) const {
    const int v = places_[static_cast<std::size_t>(at.slot)][static_cast<std::size_t>(place.memory)];
    if (v < 0) no_such_memory(place);
    return v;
  }
  /// Whether routes between nodes depend only on switches. In a fat tree they depend on the receiver's card,
  /// too.
  bool by_switch() const { return topology_ && blueprint_.network != Blueprint::Network::fat_tree; }
  /// The number of switches on the route from node to node; 1 within a node.
  int switches(Place from, Place to) const;
  [[noreturn]] void no_such_memory(Place place) const;
  std::int64_t leaf(const Seat& at, int vertex) const {
    return planes_ == 1 ? at.group : static_cast<std::int64_t>(at.group) * planes_ + graph_.nic_of(vertex);
  }
  Port base(const Seat& at) const { return at.node * ports_.count(); }
  int in_node(Rank rank, int vertex) const {
    return node(rank) * static_cast<int>(blueprint_.vertices.size()) + vertex;
  }
  /// The wires between two places; null from a place to itself.
  const SizedWire* kind_of(Place from, Place to) const;
  Wire wire_of(Place from, Place to, Bytes bytes) const;
  void own_queue(Wire& wire, Rank sender, Port direction = 0) const {
    wire.out_queue = static_cast<Port>(sender) * ports_.queues() + ports_.queue(wire.out, direction);
    wire.in_queue = Wire::nowhere;
  }

  /// Whether NVLinks alone lead from vertex to vertex; whether the route goes by a cpu.
  bool by_nvlink(int from, int to) const;
  bool by_cpu(int from, int to) const;

  Extent occupy(const Placement& placement);
  void find_places();
  void set_capabilities();
  void set_protocol();
  void set_gamma();
  void check_size() const;
  std::vector<Rank> find_representatives() const;

  void make_links() const;
  std::size_t node_links() const { return graph_.links().size() + 2 * (loops_.size() + ports_.nics); }
  LinkId link(const Seat& at, std::size_t index) const {
    return static_cast<LinkId>(at.node * node_links() + index);
  }
  std::size_t loop_link(int slot, int vertex) const;
  std::size_t nic_link(int nic) const {
    return graph_.links().size() + 2 * (loops_.size() + static_cast<std::size_t>(nic));
  }

  struct Loop {
    int slot, vertex;
  };

  std::shared_ptr<const Blueprint> kept_;
  const Blueprint& blueprint_;
  NodeGraph graph_;
  std::vector<int> nics_;  ///< vertices of the NICs
  Rank ranks_;
  bool listed_;  ///< whether a file places the ranks, which may be anywhere
  std::vector<Seat> seats_;
  std::vector<Rank> sitting_;  ///< by node and slot: its rank; negative: none
  int planes_ = 1;             ///< switches that a group of nodes shares: one, or one per NIC of a node
  std::optional<Topology> topology_;
  Extent extent_;
  PortNumbers ports_;
  Usage usage_;
  Handoff handoff_;
  Capabilities within_, between_;  ///< within_: of the node's switches; between_: of the network's
  std::optional<WireTable> wires_;
  std::optional<UniformNetwork> uniform_;
  MessageProtocol protocol_;
  std::vector<SecondsPerByte> gamma_;       ///< by vertex
  std::vector<std::array<int, 3>> places_;  ///< by slot: the vertices of its memories
  std::vector<Loop> loops_;                 ///< slots that copy within a shared memory
  mutable std::once_flag links_made_, representatives_found_;
  mutable std::vector<Link> links_;
  mutable std::vector<Rank> representatives_;
};

inline const SizedWire* Machine::kind_of(Place from, Place to) const {
  const Seat &a = seat(from.rank), &b = seat(to.rank);
  const int out = vertex(from, a), in = vertex(to, b);
  if (a.node != b.node) return &wires_->remote(topology_->way(leaf(a, out), leaf(b, in)), out, in);
  if (from.rank != to.rank) return &wires_->local(out, in);
  return out == in ? nullptr : &wires_->copy(out, in);
}

inline Wire Machine::wire_of(Place from, Place to, Bytes bytes) const {
  const Seat &a = seat(from.rank), &b = seat(to.rank);
  const SizedWire* kind = kind_of(from, to);
  Wire wire = kind ? kind->at(bytes) : Wire();
  if (a.node == b.node && vertex(from, a) == vertex(to, b))
    wire.out = ports_.slot_out(a.slot), wire.in = ports_.slot_in(b.slot);
  if (a.node != b.node && ports_.directions > 1) {
    const int by = topology_->direction(leaf(a, vertex(from, a)), leaf(b, vertex(to, b)));
    own_queue(wire, from.rank, static_cast<Port>(by));
    wire.next = Wire::Next::at_once;
  } else {
    own_queue(wire, from.rank);
  }
  wire.out += base(a);
  wire.in += base(b);
  return wire;
}

}  // namespace collcast
