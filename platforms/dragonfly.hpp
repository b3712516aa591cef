// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "platforms/crossing.hpp"

namespace collcast {

/// Groups of switches, each switch with a link to and from every other of its group, and `cables` links
/// between any two groups. A group numbers its links to the other groups: the first one to each, by their
/// number, then the second ones; each of its switches takes the next so many of them (Kim et al., ISCA 2008).
/// Routes are minimal: at most one link between groups, the one that passes the fewest switches; where
/// several do, the sum of the two switches' numbers decides.
class Dragonfly {
 public:
  Dragonfly(int groups, int switches, int cables);

  /// The links between groups that each switch has, at most.
  static int global_ports(int groups, int switches, int cables) {
    return ((groups - 1) * cables + switches - 1) / switches;
  }

  /// 0: the same switch; 1: the same group; 2, 3, 4: over to another, so many switches passed.
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
  std::uint64_t per_group() const { return static_cast<std::uint64_t>((groups_ - 1) * cables_); }
  std::uint64_t local_links() const {
    return static_cast<std::uint64_t>(groups_) * static_cast<std::uint64_t>(switches_ * (switches_ - 1));
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
    return (from.index != gate(from.group, to.group, cable)) +
           (to.index != gate(to.group, from.group, cable));
  }
  std::int64_t choose(At from, At to) const;
  LinkId local(std::int64_t group, std::int64_t from, std::int64_t to) const {
    return static_cast<LinkId>((group * switches_ + from) * (switches_ - 1) + to - (to > from));
  }

  std::int64_t groups_, switches_, cables_, global_ports_;
};

}  // namespace collcast
