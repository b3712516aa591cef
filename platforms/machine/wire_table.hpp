// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/network.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/description/node_graph.hpp"
#include "platforms/description/usage.hpp"
#include "platforms/network/crossing.hpp"

namespace collcast {

/// The part of a platform that the ranks occupy.
struct Extent {
  int slots;                        ///< slots of a node
  int nodes;                        ///< up to the last one with a rank
  std::vector<Crossing> ways = {};  ///< kinds of routes through the network; empty: all ranks share a node
};

/// The wires of one route for messages of all sizes.
class SizedWire {
 public:
  /// The wire of an empty message, and what each byte adds to its latency and its overheads.
  struct Entry {
    Wire wire;
    SecondsPerByte copied, sending, receiving;
  };
  /// Adds the wires from size `from` on; called in ascending order from 0.
  void add(Bytes from, const Entry& entry) {
    if (from > Bytes(0))
      larger_.emplace_back(from, entry);
    else
      smallest_ = entry;
  }
  Wire at(Bytes bytes) const {
    const Entry* entry = &smallest_;
    for (const auto& [from, larger] : larger_) {
      if (bytes < from) break;
      entry = &larger;
    }
    Wire wire = entry->wire;
    wire.latency += bytes * entry->copied;
    wire.overhead += bytes * entry->sending;
    wire.receive_overhead += bytes * entry->receiving;
    return wire;
  }

 private:
  Entry smallest_;
  std::vector<std::pair<Bytes, Entry>> larger_;  ///< by ascending size
};

/// The wires of a machine by the vertices of their ends and the kind of route. Their ports `out` and `in` are
/// numbered within a node (PortNumbers).
class WireTable {
  using Kind = Blueprint::Vertex::Kind;

 public:
  WireTable(const Blueprint& blueprint, const NodeGraph& graph, const Extent& extent, Usage& usage);

  /// The wires between two ranks of a node; for one vertex, of copies within its memory.
  const SizedWire& local(int from, int to) const { return local_[index(from, to)]; }
  /// The wires between two memories of one rank.
  const SizedWire& copy(int from, int to) const { return copy_[index(from, to)]; }
  /// The wires between nodes, by the kind of route through the network.
  const SizedWire& remote(int way, int from, int to) const {
    return remote_[static_cast<std::size_t>(way) * size_ * size_ + index(from, to)];
  }
  /// Whether some wire has an `other_sender`.
  bool other_senders() const { return other_senders_; }
  /// The sizes at which wires change, ascending from 0.
  std::vector<Bytes> sizes() const { return {sizes_.begin(), sizes_.end()}; }

 private:
  std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(numbers_[static_cast<std::size_t>(from)]) * size_ +
           static_cast<std::size_t>(numbers_[static_cast<std::size_t>(to)]);
  }
  bool is(Kind kind, int vertex) const;
  const Blueprint::Device& device(int vertex) const;
  bool one_copy_engine(int vertex);
  SizedWire with_software(const Wire& hardware, int from, int to,
                          const Blueprint::SoftwareByMemory& software);
  const Wire& hardware(int from, int to);
  Wire read_hardware(int from, int to);
  /// What software adds to a wire for messages from a size on.
  struct Terms {
    Bytes from;
    Wire wire;            ///< without any hardware
    SecondsPerByte copy;  ///< time per byte of the receiver's single copy
    SecondsPerByte copied, sending, receiving;
  };
  SizedWire with_software(const Wire& hardware, const Blueprint::Software& sender,
                          const Blueprint::Software& receiver);
  const std::vector<Terms>& terms(const Blueprint::Software& sender, const Blueprint::Software& receiver);
  Terms terms(Bytes bytes, const Blueprint::Software& sender, const Blueprint::Software& receiver);
  Bytes eager_limit(const Blueprint::Software& software);
  Seconds handshake(const Blueprint::Software& software);
  void fill_node(int slots);
  void fill_local(int from, int to, bool same_slot);
  void fill_loop(int vertex);
  void fill_remote(const Extent& extent);
  SizedWire across(const Crossing& way, int from, int to);

  const Blueprint& blueprint_;
  const NodeGraph& graph_;
  Usage& usage_;
  std::vector<int> numbers_;  ///< by vertex: its number, from 0, if wires end there; else -1
  std::size_t size_;          ///< how many vertices are numbered
  std::vector<SizedWire> local_, copy_, remote_;
  std::vector<std::optional<Wire>> hardware_;  ///< as far as read
  std::map<std::pair<const Blueprint::Software*, const Blueprint::Software*>, std::vector<Terms>> terms_;
  std::set<Bytes> sizes_ = {Bytes(0)};
  bool other_senders_ = false;
};

/// The numbering of a node's ports: the two ends of each link, then of each slot, then of each NIC.
struct PortNumbers {
  Port links, slots, nics;
  Port directions = 1;  ///< directions in which messages leave a NIC side by side

  Port link_out(int link) const { return 2 * static_cast<Port>(link); }
  Port link_in(int link) const { return link_out(link) + 1; }
  Port slot_out(int slot) const { return 2 * links + 2 * static_cast<Port>(slot); }
  Port slot_in(int slot) const { return slot_out(slot) + 1; }
  Port nic_out(int nic) const { return 2 * (links + slots) + 2 * static_cast<Port>(nic); }
  Port nic_in(int nic) const { return nic_out(nic) + 1; }
  Port count() const { return 2 * (links + slots + nics); }

  /// The number, among the queues of one rank, of the queue for messages that leave by this port: that of a
  /// link, of its slot, or of a direction of a NIC.
  Port queue(Port out, Port direction = 0) const {
    const Port port = out / 2;
    if (port < links + slots) return std::min(port, links);
    return links + 1 + (port - links - slots) * directions + direction;
  }
  Port queues() const { return links + 1 + nics * directions; }
};
PortNumbers port_numbers(const Blueprint& blueprint, const NodeGraph& graph);

/// Whether a port feeds several links of its switch at once, so that messages that leave by one link do not
/// wait for those that leave by another. So it is in a torus whose links have a bandwidth of their own.
bool feeds_several_links(const Blueprint& blueprint);

}  // namespace collcast
