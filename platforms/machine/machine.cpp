// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine/machine.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "support/error.hpp"

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
  const std::int64_t most = room(b);
  if (ranks <= most) return ranks;
  const std::string held = b.name + " holds " + std::to_string(most) + (most == 1 ? " rank" : " ranks");
  if (b.network == Blueprint::Network::none) throw InputError(held + ", not " + std::to_string(ranks));
  const auto nodes = ceil_div<std::int64_t>(ranks, b.ranks_per_node);
  throw InputError(
      held + " (" + std::to_string(b.max_nodes) + " nodes of " + std::to_string(b.ranks_per_node) +
      "), not " + std::to_string(ranks) + "; --set max_nodes=" + std::to_string(nodes) +
      (b.room && nodes > b.room->nodes ? " makes room, with a larger " + b.room->key : " makes room"));
}

}  // namespace

std::int64_t max_ranks(const Description& description) {
  return room(read_blueprint(description));
}

void require_room(const Description& platform, Rank ranks) {
  checked(read_blueprint(platform), ranks);
}

Machine::Machine(const Description& description, Rank ranks, const Placement& placement)
    : kept_(description.blueprint()),
      blueprint_(*kept_),
      graph_(blueprint_),
      nics_(blueprint_.of_kind(Blueprint::Vertex::Kind::nic)),
      ranks_(checked(blueprint_, ranks)),
      listed_(placement.order == Placement::listed),
      extent_(occupy(placement)),
      ports_(port_numbers(blueprint_, graph_)) {
  if (topology_ && feeds_several_links(blueprint_))
    ports_.directions = static_cast<Port>(topology_->directions());
  set_capabilities();
  set_protocol();
  set_gamma();
  if (blueprint_.network == Blueprint::Network::uniform) {
    uniform_.emplace(AlphaBetaGamma{usage_.time(blueprint_.latency),
                                    1.0 / usage_.bandwidth(*blueprint_.bandwidth), gamma_.front()},
                     ranks, protocol_);
    return;
  }
  wires_.emplace(blueprint_, graph_, extent_, usage_);
  protocol_.other_senders = wires_->other_senders();
  find_places();
  check_size();
}

/// Places the ranks, and returns which nodes they occupy.
Extent Machine::occupy(const Placement& placement) {
  const Blueprint& b = blueprint_;
  if (b.network == Blueprint::Network::uniform) {
    if (listed_) seats(placement, b, graph_, ranks_);  // only checked, as all places are alike
    return {1, ranks_};
  }
  seats_ = seats(placement, b, graph_, ranks_);
  Extent extent{0, 0};
  for (const Seat& s : seats_) {
    extent.slots = std::max(extent.slots, s.slot + 1);
    extent.nodes = std::max(extent.nodes, static_cast<int>(s.node) + 1);
  }
  const auto slots = static_cast<std::size_t>(extent.slots);
  sitting_.assign(static_cast<std::size_t>(extent.nodes) * slots, -1);
  for (Rank r = 0; r < ranks_; ++r)
    sitting_[seat(r).node * slots + static_cast<std::size_t>(seat(r).slot)] = r;
  if (b.trunks.empty()) return extent;
  for (Seat& s : seats_) s.group = static_cast<int>(s.node) / b.nodes_per_switch;
  planes_ = b.switches_per_node;
  topology_.emplace(b, static_cast<std::int64_t>(ceil_div(extent.nodes, b.nodes_per_switch)) * planes_);
  if (std::ranges::any_of(seats_, [this](const Seat& s) { return s.node != seats_[0].node; }))
    extent.ways = topology_->ways();
  return extent;
}

Rank Machine::slot_peer(Rank here, Rank there) const {
  if (uniform_) return here;
  const auto slots = static_cast<std::size_t>(extent_.slots),
             slot = static_cast<std::size_t>(seat(there).slot);
  const std::span<const Rank> node(&sitting_[seat(here).node * slots], slots);
  if (node[slot] >= 0) return node[slot];
  std::size_t turn =
      slot % static_cast<std::size_t>(std::ranges::count_if(node, [](Rank r) { return r >= 0; }));
  return *std::ranges::find_if(node, [&turn](Rank r) { return r >= 0 && turn-- == 0; });
}

bool Machine::by_nvlink(int from, int to) const {
  return std::ranges::all_of(graph_.route(from, to), [this](int l) {
    const int line = graph_.links()[static_cast<std::size_t>(l)].line;
    const int kind = blueprint_.lines[static_cast<std::size_t>(line)].kind;
    return blueprint_.link_kinds[static_cast<std::size_t>(kind)].type == Blueprint::LinkKind::Type::nvlink;
  });
}

bool Machine::by_cpu(int from, int to) const {
  return std::ranges::any_of(graph_.route(from, to), [this](int l) {
    const int end = graph_.links()[static_cast<std::size_t>(l)].to;
    return blueprint_.vertices[static_cast<std::size_t>(end)].kind == Blueprint::Vertex::Kind::cpu;
  });
}

int Machine::idle_adapters() const {
  if (uniform_ || ports_.nics == 0) return 0;
  std::set<int> used;
  for (int slot = 0; slot < blueprint_.ranks_per_node; ++slot)
    used.insert(graph_.nic_of(graph_.place(slot, Memory::device)));
  return static_cast<int>(ports_.nics) - static_cast<int>(used.size());
}

std::optional<Rank> Machine::next_to_card(Rank here, Rank there) const {
  if (uniform_) return {};
  const auto slots = static_cast<std::size_t>(extent_.slots),
             slot = static_cast<std::size_t>(seat(there).slot);
  const std::span<const Rank> node(&sitting_[seat(here).node * slots], slots);
  if (node[slot] < 0) return {};
  const auto memory = [this](Rank r) { return graph_.place(seat(r).slot, Memory::device); };
  const int nic = graph_.nic_of(memory(node[slot]));
  const auto next_to = [&](Rank r) {
    return r >= 0 && graph_.nic_of(memory(r)) == nic && by_nvlink(memory(here), memory(r)) &&
           !by_cpu(memory(r), nics_[static_cast<std::size_t>(nic)]);
  };
  if (next_to(node[slot])) return node[slot];
  const auto first = std::ranges::find_if(node, next_to);
  return first == node.end() ? std::nullopt : std::optional(*first);
}

/// Finds the vertices of the memories of slots, and the slots that copy within a shared memory.
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
  if (b.hold == MessageProtocol::Hold::delivery) {
    protocol_.eager_limit = Bytes(-1);
    return;
  }
  if (b.eager_limit) protocol_.eager_limit = Bytes(b.eager_limit->value * 1024);
  if (b.handshake) protocol_.handshake = Seconds(b.handshake->value * 1e-6);
}

/// Sets the pace of reductions. A reduction reads two operands and writes one, so it has a third of the
/// bandwidth of the memory unless the file states its pace.
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
  const std::uint64_t links = nodes * node_links() + (topology_ ? topology_->links() : 0);
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
  return uniform_ ? ports() : static_cast<Port>(ranks_) * ports_.queues();
}

std::vector<std::int64_t> Machine::nodes_together() const {
  const Blueprint& b = blueprint_;
  std::vector<std::int64_t> nodes = {b.nodes_per_switch};
  std::int64_t switches = 1;
  for (std::size_t i = 1; i + 1 < b.levels.size(); ++i) {
    switches *= b.levels[i].down;
    nodes.push_back(switches / planes_ * b.nodes_per_switch);
  }
  if (b.network == Blueprint::Network::dragonfly)
    nodes.push_back(std::int64_t{b.groups.switches} / planes_ * b.nodes_per_switch);
  return nodes;
}

int Machine::exit_vertex(Rank rank) const {
  if (uniform_) return rank;
  const int slot = seat(rank).slot, from = graph_.place(slot, Memory::device);
  const int to = ports_.nics > 0 ? nics_[static_cast<std::size_t>(graph_.nic_of(from))]
                                 : graph_.place(slot, Memory::host);
  const std::vector<int>& route = graph_.route(from, to);
  return in_node(rank, route.empty() ? from : graph_.links()[static_cast<std::size_t>(route.front())].to);
}

std::vector<Rank> Machine::far_ends(std::span<const Memory> of) const {
  constexpr std::size_t less_than_half = 2;  // links of a way, of which at least three lead to the card
  std::vector<Rank> all;
  std::map<std::vector<std::int64_t>, std::pair<std::size_t, Rank>> closest;
  const bool apart = uniform_ || ports_.nics == 0;
  for (Rank r = 0; r < ranks_; ++r) {
    std::vector<std::int64_t> way = {neighbourhood(r)};
    std::size_t links = 0;
    for (const Memory m : of) {
      if (apart) break;
      const int from = vertex({r, m}, seat(r)), card = graph_.nic_of(from);
      links = std::max(links, graph_.route(from, nics_[static_cast<std::size_t>(card)]).size());
      way.push_back(by_switch() ? leaf(seat(r), from) : card);
    }
    if (apart || links > less_than_half) {
      all.push_back(r);
      continue;
    }
    const std::pair here(links, r);
    const auto [at, is_new] = closest.try_emplace(std::move(way), here);
    at->second = std::min(at->second, here);
  }
  for (const auto& [way, rank] : closest) all.push_back(rank.second);
  std::ranges::sort(all);
  return all;
}

int Machine::socket(Rank rank) const {
  return uniform_ ? rank : in_node(rank, graph_.place(seat(rank).slot, Memory::host));
}

Rank Machine::consecutive_ranks() const {
  if (uniform_) return 1;
  Rank q = 1;
  while (q < ranks_ && node(q) == node(0)) ++q;
  for (Rank r = 0; r < ranks_; ++r)
    if (node(r) != node(r - r % q)) return 1;
  return q;
}

}  // namespace collcast
