// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "platforms/machine/machine.hpp"

namespace collcast {

const std::vector<Rank>& Machine::representatives() const {
  std::call_once(representatives_found_, [this] { representatives_ = find_representatives(); });
  return representatives_;
}

/// The ranks of one node for each set of occupied slots, and of both ends of each kind of wire between nodes.
std::vector<Rank> Machine::find_representatives() const {
  if (uniform_) return ranks_ == 1 ? std::vector<Rank>{0} : std::vector<Rank>{0, ranks_ - 1};
  const auto device = [this](Rank r) { return places_[static_cast<std::size_t>(seat(r).slot)][0]; };
  const auto alike = [&](const std::vector<Rank>& ranks, Rank r) {
    return std::ranges::count(ranks, device(r), device);
  };
  // Two ranks for each vertex are enough: of a node, and of the nodes that share switches, there on different
  // nodes.
  std::vector<std::vector<Rank>> of_node(static_cast<std::size_t>(extent_.nodes)),
      of_group(static_cast<std::size_t>((extent_.nodes - 1) / blueprint_.nodes_per_switch + 1));
  for (Rank r = 0; r < ranks_; ++r) {
    auto& node = of_node[seat(r).node];
    const auto same = alike(node, r);
    if (same < 2) node.push_back(r);
    auto& group = of_group[static_cast<std::size_t>(seat(r).group)];
    if (same == 0 && alike(group, r) < 2) group.push_back(r);
  }
  // The number of a filling: which vertices of which nodes of a group have ranks. Fillings are numbered as
  // they are met.
  std::map<std::vector<std::pair<int, int>>, int> fillings;
  const auto filling_of = [&](const std::vector<Rank>& ranks, int nodes) {
    std::vector<std::pair<int, int>> filling;
    for (Rank r : ranks) filling.emplace_back(static_cast<int>(seat(r).node) % nodes, device(r));
    std::ranges::sort(filling);
    return fillings.try_emplace(filling, static_cast<int>(fillings.size()));
  };
  std::set<Rank> chosen;
  for (const auto& ranks : of_node)
    if (filling_of(ranks, 1).second) chosen.insert(ranks.begin(), ranks.end());
  std::vector<int> filling;
  for (const auto& ranks : of_group)
    filling.push_back(filling_of(ranks, blueprint_.nodes_per_switch).first->second);
  std::size_t first = of_group.size();
  if (!listed_ && topology_)
    first = std::min(first, static_cast<std::size_t>(topology_->representative_switches()));
  std::set<std::array<int, 5>> met;
  for (std::size_t g = 0; g < first; ++g)
    for (std::size_t h = 0; h < of_group.size(); ++h) {
      if (of_group[g].empty() || of_group[h].empty() || extent_.ways.empty()) continue;
      bool new_way = false;
      for (int i = 0; i < planes_; ++i)
        for (int j = 0; j < planes_; ++j) {
          const int way = topology_->way(static_cast<std::int64_t>(g) * planes_ + i,
                                         static_cast<std::int64_t>(h) * planes_ + j);
          new_way |= met.insert({way, i, j, filling[g], filling[h]}).second;
        }
      if (!new_way) continue;
      chosen.insert(of_group[g].begin(), of_group[g].end());
      chosen.insert(of_group[h].begin(), of_group[h].end());
    }
  return {chosen.begin(), chosen.end()};
}

}  // namespace collcast
