// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/network/crossing.hpp"

namespace collcast {

/// Groups of switches, each switch with a link to and from every other of its chassis and to its likes in the
/// other chassis of the group, and `cables` links between any two groups. A group numbers its links to the
/// other groups: the first one to each, by their number, then the second ones; each of its switches takes the
/// next so many of them (Kim et al., ISCA 2008; of chassis: Faanes et al., SC 2012).
/// Minimal routes take at most one link between groups, the one that passes the fewest switches; where
/// several do, the sum of the two switches' numbers decides. Valiant's go to another group first, by a link
/// that is drawn like the group for their two ends, and from there by a minimal route.
class Dragonfly {
 public:
  Dragonfly(const Blueprint::Groups& groups, Blueprint::Routing routing);

  /// How many links of each kind it takes.
  int way(std::int64_t from, std::int64_t to) const;
  std::vector<Crossing> ways(std::int64_t switches) const;
  void route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const;
  std::uint64_t links() const { return local_links() + static_cast<std::uint64_t>(groups_) * per_group(); }
  void describe(const std::vector<BytesPerSecond>& bandwidths, std::vector<Link>& links) const;

 private:
  /// A switch by its group and its number in it.
  struct At {
    std::int64_t group, index;
  };
  At at(std::int64_t s) const { return {s / switches_, s % switches_}; }
  std::int64_t chassis(std::int64_t index) const { return index / blades_; }
  std::int64_t blade(std::int64_t index) const { return index % blades_; }
  /// Links between two switches of a group.
  int apart(std::int64_t from, std::int64_t to) const {
    return (blade(from) != blade(to)) + (chassis(from) != chassis(to));
  }
  std::uint64_t per_group() const { return static_cast<std::uint64_t>((groups_ - 1) * cables_); }
  std::int64_t local_ports() const { return blades_ - 1 + switches_ / blades_ - 1; }
  std::uint64_t local_links() const {
    return static_cast<std::uint64_t>(groups_ * switches_ * local_ports());
  }
  /// A group's number for a link to another.
  std::int64_t number(std::int64_t group, std::int64_t other, std::int64_t cable) const {
    return cable * (groups_ - 1) + other - (other > group);
  }
  /// Which switch of a group has it.
  std::int64_t gate(std::int64_t group, std::int64_t other, std::int64_t cable) const {
    return number(group, other, cable) / global_ports_;
  }
  int detours(At from, At to, std::int64_t cable) const {
    return apart(from.index, gate(from.group, to.group, cable)) +
           apart(to.index, gate(to.group, from.group, cable));
  }
  std::int64_t choose(At from, At to) const;
  std::int64_t via(At from, At to) const;
  /// Another for each two switches, and for each `salt`.
  std::int64_t draw(At from, At to, std::int64_t count, std::uint64_t salt) const;

  /// Call `visit` with the kind and the number of each link.
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
  /// Links of one kind between the switches of each group, on a way that passes so many links between groups.
  int most(bool between_chassis, int globals) const {
    return between_chassis && blades_ == switches_ ? 0 : globals + 1;
  }

  Blueprint::Routing routing_;
  std::int64_t groups_, switches_, blades_, cables_, global_ports_;
};

}  // namespace collcast
