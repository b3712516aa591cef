// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "platforms/machine/machine.hpp"

namespace collcast {
namespace {

std::string nic_name(Port nics, Port nic, bool out) {
  return (nics == 1 ? "NIC" : "NIC " + std::to_string(nic)) + (out ? " out" : " in");
}

}  // namespace

std::string Machine::port_name(Port port) const {
  if (uniform_) {
    const Port ranks = static_cast<Port>(ranks_);
    return "rank " + std::to_string(port % ranks) + (port < ranks ? " out" : " in");
  }
  const std::string node = "node " + std::to_string(port / ports_.count()) + " ";
  const Port local = port % ports_.count(), index = local / 2;
  const bool out = local % 2 == 0;
  if (index < ports_.links) {
    const NodeGraph::Link& l = graph_.links()[index];
    const std::string &from = blueprint_.vertices[static_cast<std::size_t>(l.from)].name,
                      &to = blueprint_.vertices[static_cast<std::size_t>(l.to)].name;
    return node + (out ? from + " out to " + to : to + " in from " + from);
  }
  if (index < ports_.links + ports_.slots)
    return node + "copies " + (out ? "out of" : "into") + " slot " + std::to_string(index - ports_.links);
  return node + nic_name(ports_.nics, index - ports_.links - ports_.slots, out);
}

const std::vector<Link>& Machine::links() const {
  std::call_once(links_made_, [this] { make_links(); });
  return links_;
}

void Machine::make_links() const {
  const Blueprint& b = blueprint_;
  const auto GBps = [](const Parameter& p) { return BytesPerSecond(p.value * 1e9); };
  if (uniform_) {
    links_.assign(uniform_->ports(), {GBps(*b.bandwidth)});
    return;
  }
  auto line = [&](int l) {
    const Blueprint::Line& of = b.lines[static_cast<std::size_t>(l)];
    return of.count * GBps(b.link_kinds[static_cast<std::size_t>(of.kind)].bandwidth);
  };
  links_.reserve(static_cast<std::size_t>(extent_.nodes) * node_links() +
                 (topology_ ? topology_->links() : 0));
  for (int n = 0; n < extent_.nodes; ++n) {
    for (const NodeGraph::Link& l : graph_.links()) links_.push_back({line(l.line)});
    for (const Loop& l : loops_) links_.insert(links_.end(), 2, {line(graph_.loop(l.vertex))});
    if (ports_.nics > 0) links_.insert(links_.end(), 2 * ports_.nics, {GBps(*b.bandwidth)});
  }
  if (!topology_) return;
  std::vector<Link> trunks;
  for (const Blueprint::Trunk& t : b.trunks)
    trunks.push_back({t.cables * GBps(t.bandwidth ? *t.bandwidth : *b.bandwidth)});
  for (std::uint64_t l = 0; l < topology_->links(); ++l) links_.push_back(trunks[topology_->trunk(l)]);
}

std::string Machine::link_name(LinkId link) const {
  if (uniform_) return port_name(link);
  if (link >= network()) return topology_->name(link - network());
  const std::string node = "node " + std::to_string(link / node_links()) + " ";
  const auto name = [this](int v) { return blueprint_.vertices[static_cast<std::size_t>(v)].name; };
  std::size_t index = link % node_links();
  if (index < graph_.links().size()) {
    const NodeGraph::Link& l = graph_.links()[index];
    return node + name(l.from) + " to " + name(l.to);
  }
  index -= graph_.links().size();
  if (index < 2 * loops_.size()) {
    const Loop& l = loops_[index / 2];
    return node + name(l.vertex) + " copies " + (index % 2 == 0 ? "out of" : "into") + " slot " +
           std::to_string(l.slot);
  }
  index -= 2 * loops_.size();
  return node + nic_name(ports_.nics, static_cast<Port>(index / 2), index % 2 == 0);
}

std::size_t Machine::loop_link(int slot, int vertex) const {
  const auto at = std::ranges::lower_bound(loops_, std::pair(slot, vertex), {},
                                           [](const Loop& l) { return std::pair(l.slot, l.vertex); });
  return graph_.links().size() + 2 * static_cast<std::size_t>(at - loops_.begin());
}

void Machine::route(Place from, Place to, std::vector<LinkId>& links) const {
  if (uniform_) {
    if (from.rank == to.rank) return;
    links.push_back(static_cast<LinkId>(from.rank));
    links.push_back(static_cast<LinkId>(to.rank + ranks_));
    return;
  }
  const Seat &a = seat(from.rank), &b = seat(to.rank);
  const int out = vertex(from, a), in = vertex(to, b);
  auto within = [&](const Seat& at, int v, int w) {
    for (int l : graph_.route(v, w)) links.push_back(link(at, static_cast<std::size_t>(l)));
  };
  if (a.node == b.node) {
    if (out == in && from.rank != to.rank)
      links.insert(links.end(), {link(a, loop_link(a.slot, out)), link(b, loop_link(b.slot, in) + 1)});
    return within(a, out, in);
  }
  const int nic_out = graph_.nic_of(out), nic_in = graph_.nic_of(in);
  within(a, out, nics_[static_cast<std::size_t>(nic_out)]);
  links.push_back(link(a, nic_link(nic_out)));
  // Endpoints, a switch's NICs, are numbered leaf by leaf, so that neighbours take different ways up.
  const auto endpoint = [this](const Seat& at, std::int64_t leaf, int nic) {
    const auto nodes = static_cast<std::uint64_t>(blueprint_.nodes_per_switch),
               each = nics_.size() / static_cast<std::uint64_t>(planes_);
    return (static_cast<std::uint64_t>(leaf) * nodes + at.node % nodes) * each +
           static_cast<std::uint64_t>(nic) / static_cast<std::uint64_t>(planes_);
  };
  const std::int64_t first = leaf(a, out), last = leaf(b, in);
  topology_->route({first, last, endpoint(a, first, nic_out), endpoint(b, last, nic_in)}, network(), links);
  links.push_back(link(b, nic_link(nic_in) + 1));
  within(b, nics_[static_cast<std::size_t>(nic_in)], in);
}

std::vector<Halves> Machine::halves() const {
  if (!topology_) return {};
  std::vector<Halves> all = topology_->halves(network());
  for (Halves& h : all) {
    std::vector<char> ranks;
    for (const Seat& s : seats_) ranks.push_back(h.inside[static_cast<std::size_t>(s.group)]);
    h.inside = std::move(ranks);
  }
  return all;
}

}  // namespace collcast
