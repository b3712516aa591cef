// SPDX-License-Identifier: Apache-2.0
#include "platforms/dragonfly.hpp"

#include <algorithm>

namespace collcast {
namespace {

constexpr int local_trunk = 0, global_trunk = 1;

}  // namespace

Dragonfly::Dragonfly(int groups, int switches, int cables)
    : groups_(groups),
      switches_(switches),
      cables_(cables),
      global_ports_(std::max(1, global_ports(groups, switches, cables))) {}

/// The cable between two groups.
std::int64_t Dragonfly::choose(At from, At to) const {
  int fewest = 2;
  std::int64_t equal = 0;
  for (std::int64_t c = 0; c < cables_; ++c) {
    const int d = detours(from, to, c);
    if (d < fewest) fewest = d, equal = 0;
    equal += d == fewest;
  }
  std::int64_t turn = (from.index + to.index) % equal, cable = 0;
  while (detours(from, to, cable) != fewest || turn-- > 0) ++cable;
  return cable;
}

int Dragonfly::way(std::int64_t from, std::int64_t to) const {
  if (from == to) return 0;
  const At a = at(from), b = at(to);
  return a.group == b.group ? 1 : 2 + detours(a, b, choose(a, b));
}

std::vector<Crossing> Dragonfly::ways(std::int64_t switches) const {
  std::vector<Crossing> all = {{1},
                               {2, {local_trunk}},
                               {2, {global_trunk}},
                               {3, {local_trunk, global_trunk}},
                               {4, {local_trunk, global_trunk, local_trunk}}};
  all.resize(switches == 1 ? 1 : switches <= switches_ ? 2 : 5);
  return all;
}

void Dragonfly::route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const {
  At a = at(trip.from);
  const At b = at(trip.to);
  if (a.group != b.group) {
    const std::int64_t cable = choose(a, b);
    const std::int64_t leave = gate(a.group, b.group, cable), arrive = gate(b.group, a.group, cable);
    if (a.index != leave) links.push_back(base + local(a.group, a.index, leave));
    const auto global = static_cast<std::uint64_t>(a.group) * per_group() +
                        static_cast<std::uint64_t>(number(a.group, b.group, cable));
    links.push_back(base + static_cast<LinkId>(local_links() + global));
    a = {b.group, arrive};
  }
  if (a.index != b.index) links.push_back(base + local(a.group, a.index, b.index));
}

void Dragonfly::describe(const std::vector<BytesPerSecond>& bandwidths, std::vector<Link>& links) const {
  const auto name = [](std::int64_t group, std::int64_t index) {
    return "group " + std::to_string(group) + " switch " + std::to_string(index);
  };
  for (std::int64_t g = 0; g < groups_; ++g)
    for (std::int64_t from = 0; from < switches_; ++from)
      for (std::int64_t to = 0; to < switches_; ++to)
        if (to != from) links.push_back({name(g, from) + " to " + name(g, to), bandwidths[local_trunk]});
  for (std::int64_t g = 0; g < groups_; ++g)
    for (std::int64_t cable = 0; cable < cables_; ++cable)
      for (std::int64_t other = 0; other < groups_; ++other)
        if (other != g)
          links.push_back({name(g, gate(g, other, cable)) + " to " + name(other, gate(other, g, cable)) +
                               (cables_ > 1 ? " cable " + std::to_string(cable) : ""),
                           bandwidths[global_trunk]});
}

}  // namespace collcast
