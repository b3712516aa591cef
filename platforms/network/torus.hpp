// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/fabric.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/network/crossing.hpp"
#include "platforms/network/halves.hpp"

namespace collcast {

/// A torus of any number of dimensions; the first coordinate varies fastest. A switch has a link to and from
/// each neighbour: two in each dimension, one in dimensions of size two. Routes are dimension-ordered and
/// take the shorter way round. If both ways are equal, even coordinates go up and odd ones down, so that both
/// directions carry as much. Valiant's routes go through a switch that is drawn by a hash of their ends.
class Torus {
 public:
  /// `switches`: how many of the first have nodes in use.
  Torus(const std::vector<int>& dimensions, std::int64_t switches, Blueprint::Routing routing);

  /// The kind of the route (an index of `ways`): how many links it takes.
  int way(std::int64_t from, std::int64_t to) const;
  std::vector<Crossing> ways(std::int64_t switches) const;
  void route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const;
  /// How many links a switch has, and by which of them its messages to another switch leave.
  int directions() const { return ports_; }
  int direction(std::int64_t from, std::int64_t to) const;
  std::uint64_t links() const {
    return static_cast<std::uint64_t>(crossed_) * static_cast<std::uint64_t>(ports_);
  }
  std::size_t trunk(std::uint64_t) const { return 0; }
  std::string name(std::uint64_t link) const;
  /// The halves of the switches in use: one pair for each dimension that their routes cross.
  std::vector<Halves> halves(std::int64_t switches, LinkId base) const;

 private:
  struct Dimension {
    int size;
    std::int64_t stride;  ///< between neighbours
    int port;             ///< upwards; the next one is downwards, if there is one
  };
  int coordinate(std::int64_t at, const Dimension& d) const {
    return static_cast<int>(at / d.stride % d.size);
  }
  /// The next switch up or down a dimension.
  std::int64_t neighbour(std::int64_t at, const Dimension& d, bool up) const {
    const int c = coordinate(at, d), next = up ? (c + 1) % d.size : (c + d.size - 1) % d.size;
    return at + (next - c) * d.stride;
  }
  std::string name_of(std::int64_t at) const;
  std::int64_t via(std::int64_t from, std::int64_t to) const;
  int hops(std::int64_t from, std::int64_t to) const;
  void walk(std::int64_t at, std::int64_t to, LinkId base, std::vector<LinkId>& links) const;

  Blueprint::Routing routing_;
  std::vector<Dimension> dimensions_;
  std::int64_t switches_ = 1;
  std::int64_t crossed_ = 1;  ///< number of first switches that routes between those in use do not leave
  int ports_ = 0;
};

}  // namespace collcast
