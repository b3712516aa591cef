// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/network/crossing.hpp"

namespace collcast {

/// A dragonfly (dragonfly.hpp) whose switches send each packet by whichever way is free, as well as possible.
/// All links by which a switch reaches the others of its chassis are one link as fast as all together, and so
/// are all links that reach it; likewise links between the chassis of a group, and links between groups. A
/// route to another group counts the switches of a way that begins and ends one link away from the cable
/// between the groups, as most ways do.
class AdaptiveDragonfly {
 public:
  explicit AdaptiveDragonfly(const Blueprint::Groups& groups)
      : groups_(groups.count), switches_(groups.switches), blades_(groups.switches / groups.chassis) {}

  /// The kind of the route (an index of `ways`).
  int way(std::int64_t from, std::int64_t to) const;
  std::vector<Crossing> ways(std::int64_t switches) const;
  void route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const;
  std::uint64_t links() const { return static_cast<std::uint64_t>(4 * groups_ * switches_ + 2 * groups_); }
  std::size_t trunk(std::uint64_t link) const;
  std::string name(std::uint64_t link) const;

 private:
  bool other_blade(std::int64_t from, std::int64_t to) const { return from % blades_ != to % blades_; }
  bool other_chassis(std::int64_t from, std::int64_t to) const { return from / blades_ != to / blades_; }

  std::int64_t groups_, switches_, blades_;
};

}  // namespace collcast
