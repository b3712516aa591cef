// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine.hpp"

#include <algorithm>
#include <limits>

#include "model/error.hpp"

namespace collcast {
namespace {

constexpr std::array<Memory, 3> memories = {Memory::device, Memory::host, Memory::dpu};

template <class T>
T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

std::int64_t room(const Blueprint& b) {
  return std::min<std::int64_t>(b.max_nodes * b.ranks_per_node, std::numeric_limits<Rank>::max());
}

Rank checked(const Blueprint& b, Rank ranks) {
  if (ranks < 1) throw InputError("a machine needs at least 1 rank, not " + std::to_string(ranks));
  if (ranks > room(b))
    throw InputError(b.name + " holds " + std::to_string(room(b)) + " ranks (" + std::to_string(b.max_nodes) +
                     " nodes of " + std::to_string(b.ranks_per_node) + "), not " + std::to_string(ranks));
  return ranks;
}

}  // namespace

Placement parse_placement(const std::string& text) {
  if (text == "block") return Placement::block;
  if (text == "round-robin") return Placement::round_robin;
  throw InputError("placement: must be block or round-robin, not '" + text + "'");
}

std::int64_t max_ranks(const Description& description) {
  return room(read_blueprint(description));
}

Machine::Machine(const Description& description, Rank ranks, Placement placement)
    : blueprint_(read_blueprint(description)),
      graph_(blueprint_),
      ranks_(checked(blueprint_, ranks)),
      placement_(placement),
      extent_(occupy(ranks, placement)),
      ports_(port_numbers(blueprint_, graph_)) {
  set_protocol();
  set_gamma();
  if (blueprint_.network == Blueprint::Network::uniform) {
    uniform_.emplace(AlphaBetaGamma{usage_.time(blueprint_.latency),
                                    1.0 / usage_.bandwidth(*blueprint_.bandwidth), gamma_.front()},
                     ranks, protocol_);
    return;
  }
  wires_.emplace(blueprint_, graph_, extent_, usage_);
  seat_ranks(placement);
  find_places();
  check_size();
}

/// Fills what the network needs to know of the nodes in use.
Extent Machine::occupy(Rank ranks, Placement placement) {
  const Blueprint& b = blueprint_;
  const int nodes = ceil_div(ranks, b.ranks_per_node);
  const int slots =
      placement == Placement::block ? std::min(ranks, b.ranks_per_node) : ceil_div(ranks, nodes);
  if (b.levels.empty()) return {slots, nodes, 0};
  nodes_per_group_ = b.levels.front().down;
  const int nics = static_cast<int>(b.of_kind(Blueprint::Vertex::Kind::nic).size());
  planes_ = b.network == Blueprint::Network::fat_tree ? nics : 1;
  leaves_ = static_cast<std::int64_t>(ceil_div(nodes, nodes_per_group_)) * planes_;
  tree_.emplace(b.levels, leaves_);
  return {slots, nodes, tree_->meet(0, leaves_ - 1)};
}

void Machine::seat_ranks(Placement placement) {
  const bool block = placement == Placement::block;
  seats_.reserve(static_cast<std::size_t>(ranks_));
  for (Rank r = 0; r < ranks_; ++r) {
    const int node = block ? r / blueprint_.ranks_per_node : r % extent_.nodes;
    const int slot = block ? r % blueprint_.ranks_per_node : r / extent_.nodes;
    seats_.push_back({static_cast<std::uint32_t>(node), slot, node / nodes_per_group_});
  }
}

/// Where the memories of the slots are, and who copies within a shared one.
void Machine::find_places() {
  std::vector<int> sharing(blueprint_.vertices.size());
  for (int s = 0; s < extent_.slots; ++s) {
    places_.push_back(
        {graph_.place(s, Memory::device), graph_.place(s, Memory::host), graph_.place(s, Memory::dpu)});
    std::set<int> own(places_.back().begin(), places_.back().end());
    own.erase(-1);
    for (int v : own) ++sharing[static_cast<std::size_t>(v)], loops_.push_back({s, v});
  }
  std::erase_if(loops_, [&](const Loop& l) { return sharing[static_cast<std::size_t>(l.vertex)] < 2; });
}

void Machine::set_protocol() {
  const Blueprint& b = blueprint_;
  protocol_.hold = b.hold;
  if (b.hold == Protocol::Hold::delivery) {
    protocol_.eager_limit = Bytes(-1);
    return;
  }
  if (b.eager_limit) protocol_.eager_limit = Bytes(b.eager_limit->value * 1024);
  if (b.handshake) protocol_.handshake = Seconds(b.handshake->value * 1e-6);
}

/// A reduction reads two operands and writes one: a third of the memory's bandwidth, unless the file knows
/// better.
void Machine::set_gamma() {
  gamma_.resize(blueprint_.vertices.size());
  for (int s = 0; s < extent_.slots; ++s)
    for (Memory m : memories) {
      const int v = graph_.place(s, m);
      if (v < 0 || gamma_[static_cast<std::size_t>(v)].value > 0) continue;
      const int device = blueprint_.vertices[static_cast<std::size_t>(v)].device;
      const Blueprint::Device& d = blueprint_.devices[static_cast<std::size_t>(device)];
      if (!d.reduce) usage_.weaken(Stamp::derived);
      gamma_[static_cast<std::size_t>(v)] =
          d.reduce ? 1.0 / usage_.bandwidth(*d.reduce) : 3.0 / usage_.bandwidth(*d.memory_bandwidth);
    }
}

void Machine::check_size() const {
  const std::uint64_t nodes = static_cast<std::uint64_t>(extent_.nodes);
  const std::uint64_t links = nodes * node_links() + (tree_ ? tree_->links() : 0);
  const std::uint64_t most = std::numeric_limits<LinkId>::max();
  if (links > most || nodes * ports_.count() > most)
    throw InputError(blueprint_.name + ": " + std::to_string(ranks_) +
                     " ranks have more links than can be numbered (" + std::to_string(most) + ")");
}

void Machine::no_such_memory(Place place) const {
  throw InputError(blueprint_.name + ": the nodes have no dpu, so rank " + std::to_string(place.rank) +
                   " has no dpu memory");
}

Port Machine::ports() const {
  return uniform_ ? uniform_->ports() : static_cast<Port>(extent_.nodes) * ports_.count();
}

Port Machine::queues() const {
  const bool own = !uniform_ && protocol_.hold != Protocol::Hold::delivery;
  return own ? static_cast<Port>(ranks_) * ports_.count() : ports();
}

Rank Machine::rank_at(int node, int slot) const {
  const std::int64_t rank = placement_ == Placement::block
                                ? static_cast<std::int64_t>(node) * blueprint_.ranks_per_node + slot
                                : static_cast<std::int64_t>(slot) * extent_.nodes + node;
  return rank < ranks_ ? static_cast<Rank>(rank) : -1;
}

/// Node 0, its neighbour, the last node, and the first ones of the next subtree of each level.
std::set<std::int64_t> Machine::representative_nodes() const {
  std::set<std::int64_t> nodes = {0, 1, extent_.nodes - 1};
  std::int64_t leaves = 1;
  for (std::size_t l = 1; l < blueprint_.levels.size(); leaves *= blueprint_.levels[l++].down) {
    nodes.insert(leaves / planes_ * nodes_per_group_);
    nodes.insert(ceil_div<std::int64_t>(leaves, planes_) * nodes_per_group_);
  }
  std::erase_if(nodes, [this](std::int64_t n) { return n >= extent_.nodes; });
  return nodes;
}

std::vector<Rank> Machine::representatives() const {
  if (uniform_) return ranks_ == 1 ? std::vector<Rank>{0} : std::vector<Rank>{0, ranks_ - 1};
  std::vector<int> slots, seen(blueprint_.vertices.size());
  for (int s = 0; s < extent_.slots; ++s)
    if (++seen[static_cast<std::size_t>(graph_.place(s, Memory::device))] <= 2) slots.push_back(s);
  std::vector<Rank> ranks;
  for (std::int64_t n : representative_nodes())
    for (int s : slots)
      if (const Rank r = rank_at(static_cast<int>(n), s); r >= 0) ranks.push_back(r);
  return ranks;
}

}  // namespace collcast
