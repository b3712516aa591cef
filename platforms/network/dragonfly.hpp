// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/network/crossing.hpp"

namespace collcast {

/// A dragonfly (Kim et al., ISCA 2008; with chassis: Faanes et al., SC 2012). A switch has links to every
/// other switch of its chassis, and to the switches in its position in the other chassis of its group. Any
/// two groups have `cables` links. A group numbers its links to other groups, first one to each group in
/// their order, then the second ones, and assigns them to its switches in equal blocks.
///
/// Minimal routes take at most one link between groups: the one with the fewest switches on the route; the
/// sum of the two switches' numbers breaks ties. Valiant's routes first go to another group, by a link to it,
/// both drawn by a hash of the route's ends; from there they are minimal.
class Dragonfly {
 public:
  Dragonfly(const Blueprint::Groups& groups, Blueprint::Routing routing);

  /// The kind of the route (an index of `ways`): how many links of each kind it takes.
  int way(std::int64_t from, std::int64_t to) const;
  std::vector<Crossing> ways(std::int64_t switches) const;
  void route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const;
  std::uint64_t links() const { return local_links() + static_cast<std::uint64_t>(groups_) * per_group(); }
  std::size_t trunk(std::uint64_t link) const;
  std::string name(std::uint64_t link) const;

 private:
  /// A switch by its group and its number in it.
  struct At {
    std::int64_t group, index;
  };
  At at(std::int64_t s) const { return {s / switches_, s % switches_}; }
  std::int64_t chassis(std::int64_t index) const { return index / blades_; }
  std::int64_t blade(std::int64_t index) const { return index % blades_; }
  /// The number of links between two switches of a group.
  int apart(std::int64_t from, std::int64_t to) const {
    return (blade(from) != blade(to)) + (chassis(from) != chassis(to));
  }
  std::uint64_t per_group() const { return static_cast<std::uint64_t>((groups_ - 1) * cables_); }
  std::int64_t local_ports() const { return blades_ - 1 + switches_ / blades_ - 1; }
  std::uint64_t local_links() const {
    return static_cast<std::uint64_t>(groups_ * switches_ * local_ports());
  }
  /// A group's number of a link to another group.
  std::int64_t number(std::int64_t group, std::int64_t other, std::int64_t cable) const {
    return cable * (groups_ - 1) + other - (other > group);
  }
  /// The switch of a group that has the link to another group.
  std::int64_t gate(std::int64_t group, std::int64_t other, std::int64_t cable) const {
    return number(group, other, cable) / global_ports_;
  }
  int detours(At from, At to, std::int64_t cable) const {
    return apart(from.index, gate(from.group, to.group, cable)) +
           apart(to.index, gate(to.group, from.group, cable));
  }
  std::int64_t choose(At from, At to) const;
  std::int64_t via(At from, At to) const;
  /// A pseudo-random number below `count`, fixed for each pair of switches and `salt`.
  std::int64_t draw(At from, At to, std::int64_t count, std::uint64_t salt) const;

  /// These functions call `visit` with the kind and the number of each link.
  template <class Visit>
  void walk(At from, At to, Visit&& visit) const;
  template <class Visit>
  void cross(At& at, std::int64_t group, std::int64_t cable, Visit&& visit) const;
  template <class Visit>
  void within(At from, std::int64_t to, Visit&& visit) const;

  LinkId local(At from, std::int64_t port) const {
    return static_cast<LinkId>((from.group * switches_ + from.index) * local_ports() + port);
  }
  LinkId global(std::int64_t group, std::int64_t other, std::int64_t cable) const {
    return static_cast<LinkId>(local_links() + static_cast<std::uint64_t>(group) * per_group() +
                               static_cast<std::uint64_t>(number(group, other, cable)));
  }
  /// The most links of one kind within groups on a route with `globals` links between groups.
  int most(bool between_chassis, int globals) const {
    return between_chassis && blades_ == switches_ ? 0 : globals + 1;
  }

  Blueprint::Routing routing_;
  std::int64_t groups_, switches_, blades_, cables_, global_ports_;
};

}  // namespace collcast
