// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "platforms/network/adaptive_dragonfly.hpp"
#include "platforms/network/dragonfly.hpp"
#include "platforms/network/fat_tree.hpp"
#include "platforms/network/torus.hpp"

namespace collcast {

/// The switches of a network, the links between them, and the routes over these. Switches with nodes are
/// numbered from 0.
class Topology {
 public:
  /// `switches`: how many of the first switches have nodes in use.
  Topology(const Blueprint& blueprint, std::int64_t switches);

  /// The kind of the route between two switches, as an index of `ways`.
  int way(std::int64_t from, std::int64_t to) const {
    return std::visit([=](const auto& shape) { return shape.way(from, to); }, shape_);
  }
  const std::vector<Crossing>& ways() const { return ways_; }

  /// How many ways out a switch has, each of which carries messages by itself; and which of them a route
  /// takes.
  int directions() const {
    const auto* torus = std::get_if<Torus>(&shape_);
    return torus ? torus->directions() : 1;
  }
  int direction(std::int64_t from, std::int64_t to) const {
    const auto* torus = std::get_if<Torus>(&shape_);
    return torus ? torus->direction(from, to) : 0;
  }

  /// Appends the links of the route, in order, numbered from `base`.
  void route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const {
    std::visit([&](const auto& shape) { shape.route(trip, base, links); }, shape_);
  }
  std::uint64_t links() const {
    return std::visit([](const auto& shape) { return shape.links(); }, shape_);
  }
  /// The trunk of the blueprint that a link belongs to.
  std::size_t trunk(std::uint64_t link) const {
    return std::visit([=](const auto& shape) { return shape.trunk(link); }, shape_);
  }
  std::string name(std::uint64_t link) const {
    return std::visit([=](const auto& shape) { return shape.name(link); }, shape_);
  }
  /// The halves of a torus. Other networks need none: there a subtree or a group has the fewest links for its
  /// size.
  std::vector<Halves> halves(LinkId base) const;
  /// How many of the first switches are enough for all kinds of routes to occur from them.
  std::int64_t representative_switches() const { return representative_switches_; }

 private:
  std::variant<FatTree, Torus, Dragonfly, AdaptiveDragonfly> shape_;
  std::int64_t switches_;
  std::vector<Crossing> ways_;
  std::int64_t representative_switches_;
};

}  // namespace collcast
