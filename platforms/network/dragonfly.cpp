// SPDX-License-Identifier: Apache-2.0
#include "platforms/network/dragonfly.hpp"

#include <algorithm>

#include "platforms/network/hash.hpp"

namespace collcast {
Dragonfly::Dragonfly(const Blueprint::Groups& groups, Blueprint::Routing routing)
    : routing_(routing),
      groups_(groups.count),
      switches_(groups.switches),
      blades_(groups.switches / groups.chassis),
      cables_(groups.cables),
      global_ports_(std::max(1, groups.global_ports())) {}

/// Chooses the cable between two groups: one with the fewest switches on the route.
std::int64_t Dragonfly::choose(At from, At to) const {
  int fewest = detours(from, to, 0);
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

std::int64_t Dragonfly::draw(At from, At to, std::int64_t count, std::uint64_t salt) const {
  const auto id = [this](At s) { return static_cast<std::uint64_t>(s.group * switches_ + s.index); };
  return hashed_choice(routing_.seed + salt, id(from), id(to), count);
}

/// The group through which Valiant's route goes; it is neither of the two.
std::int64_t Dragonfly::via(At from, At to) const {
  const auto [lower, upper] = std::minmax(from.group, to.group);
  std::int64_t group = draw(from, to, groups_ - 2, 0);
  group += group >= lower;
  return group + (group >= upper);
}

/// Goes to a switch of the same group: first to its blade, then to its chassis.
template <class Visit>
void Dragonfly::within(At from, std::int64_t to, Visit&& visit) const {
  const std::int64_t b = blade(from.index), c = chassis(from.index);
  if (blade(to) != b) {
    visit(local_trunk, local(from, blade(to) - (blade(to) > b)));
    from.index = c * blades_ + blade(to);
  }
  if (chassis(to) != c) visit(chassis_trunk, local(from, blades_ - 1 + chassis(to) - (chassis(to) > c)));
}

/// Goes to another group, to the switch where the cable ends.
template <class Visit>
void Dragonfly::cross(At& at, std::int64_t group, std::int64_t cable, Visit&& visit) const {
  within(at, gate(at.group, group, cable), visit);
  visit(global_trunk, global(at.group, group, cable));
  at = {group, gate(group, at.group, cable)};
}

template <class Visit>
void Dragonfly::walk(At from, At to, Visit&& visit) const {
  if (from.group != to.group && routing_.hashed && groups_ > 2)
    cross(from, via(from, to), draw(from, to, cables_, 1), visit);
  if (from.group != to.group) cross(from, to.group, choose(from, to), visit);
  within(from, to.index, visit);
}

int Dragonfly::way(std::int64_t from, std::int64_t to) const {
  int links[3] = {0, 0, 0};
  walk(at(from), at(to), [&](int trunk, LinkId) { ++links[trunk]; });
  const int globals = links[global_trunk];
  int way = links[local_trunk] * (most(true, globals) + 1) + links[chassis_trunk];
  for (int g = 0; g < globals; ++g) way += (most(false, g) + 1) * (most(true, g) + 1);
  return way;
}

std::vector<Crossing> Dragonfly::ways(std::int64_t switches) const {
  std::vector<Crossing> all;
  const int most_globals = switches <= switches_ ? 0 : routing_.hashed ? 2 : 1;
  for (int globals = 0; globals <= most_globals; ++globals)
    for (int locals = 0; locals <= most(false, globals); ++locals)
      for (int between = 0; between <= most(true, globals); ++between) {
        all.push_back({1 + globals + locals + between});
        for (auto [trunk, links] : {std::pair(global_trunk, globals), std::pair(local_trunk, locals),
                                    std::pair(chassis_trunk, between)})
          all.back().trunks.insert(all.back().trunks.end(), static_cast<std::size_t>(links), trunk);
      }
  if (switches == 1) all.resize(1);
  return all;
}

void Dragonfly::route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const {
  walk(at(trip.from), at(trip.to), [&](int, LinkId link) { links.push_back(base + link); });
}

std::size_t Dragonfly::trunk(std::uint64_t link) const {
  if (link >= local_links()) return global_trunk;
  const auto port = static_cast<std::int64_t>(link) % local_ports();
  return port < blades_ - 1 ? local_trunk : chassis_trunk;
}

std::string Dragonfly::name(std::uint64_t link) const {
  const auto name = [](std::int64_t group, std::int64_t index) {
    return "group " + std::to_string(group) + " switch " + std::to_string(index);
  };
  if (link < local_links()) {
    const auto number = static_cast<std::int64_t>(link);
    const At from = at(number / local_ports());
    std::int64_t port = number % local_ports(), b = blade(from.index), c = chassis(from.index);
    if (port < blades_ - 1)
      b = port + (port >= b);
    else
      port -= blades_ - 1, c = port + (port >= c);
    return name(from.group, from.index) + " to " + name(from.group, c * blades_ + b);
  }
  const auto number = static_cast<std::int64_t>(link - local_links());
  const auto others = groups_ - 1, group = number / (others * cables_), cable = number / others % cables_;
  const std::int64_t other = number % others + (number % others >= group);
  return name(group, gate(group, other, cable)) + " to " + name(other, gate(other, group, cable)) +
         (cables_ > 1 ? " cable " + std::to_string(cable) : "");
}

}  // namespace collcast
