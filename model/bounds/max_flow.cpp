// SPDX-License-Identifier: Apache-2.0
#include "model/bounds/max_flow.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace collcast {

FlowGraph::Vertex FlowGraph::add_vertex() {
  first_.push_back(none);
  return static_cast<Vertex>(first_.size() - 1);
}

FlowGraph::Edge FlowGraph::add_edge(Vertex from, Vertex to, Amount capacity) {
  for (const auto& [a, b] : {std::pair(from, to), std::pair(to, from)}) {
    std::int32_t& first = first_[static_cast<std::size_t>(a)];
    arcs_.push_back({b, first, 0});
    first = static_cast<std::int32_t>(arcs_.size() - 1);
  }
  capacity_.push_back(capacity);
  return static_cast<Edge>(capacity_.size() - 1);
}

bool FlowGraph::find_levels(Vertex from, Vertex to) {
  level_.assign(first_.size(), none);
  level_[static_cast<std::size_t>(from)] = 0;
  open_.assign(1, from);
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const auto v = static_cast<std::size_t>(open_[i]);
    for (std::int32_t a = first_[v]; a != none; a = arcs_[static_cast<std::size_t>(a)].next) {
      const Arc& arc = arcs_[static_cast<std::size_t>(a)];
      std::int32_t& level = level_[static_cast<std::size_t>(arc.to)];
      if (arc.residual > 0 && level == none) level = level_[v] + 1, open_.push_back(arc.to);
    }
  }
  return level_[static_cast<std::size_t>(to)] != none;
}

/// As much of an amount as flows on from here, each arc to the next level.
FlowGraph::Amount FlowGraph::push(Vertex at, Vertex to, Amount amount) {
  if (at == to) return amount;
  const auto v = static_cast<std::size_t>(at);
  Amount sent = 0;
  for (std::int32_t& a = cursor_[v]; a != none; a = arcs_[static_cast<std::size_t>(a)].next) {
    Arc &arc = arcs_[static_cast<std::size_t>(a)], &back = arcs_[static_cast<std::size_t>(a ^ 1)];
    if (arc.residual == 0 || level_[static_cast<std::size_t>(arc.to)] != level_[v] + 1) continue;
    const Amount more = push(arc.to, to, std::min(amount - sent, arc.residual));
    arc.residual -= more, back.residual += more, sent += more;
    if (sent == amount) break;
  }
  return sent;
}

FlowGraph::Amount FlowGraph::max_flow(Vertex from, Vertex to) {
  for (std::size_t e = 0; e < capacity_.size(); ++e)
    arcs_[2 * e].residual = capacity_[e], arcs_[2 * e + 1].residual = 0;
  Amount flow = 0;
  while (find_levels(from, to)) {
    cursor_ = first_;
    flow += push(from, to, std::numeric_limits<Amount>::max());
  }
  return flow;
}

}  // namespace collcast
