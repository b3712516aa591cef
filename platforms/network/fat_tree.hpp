// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/network/crossing.hpp"

namespace collcast {

/// An extended generalized fat tree (Ohring et al., IPPS 1995) over `leaves` leaf switches. A level has, for
/// each subtree of the levels below, as many switches as there are routes up to it. A switch has one link to
/// each parent.
class FatTree {
 public:
  FatTree(const std::vector<Blueprint::Level>& levels, std::int64_t leaves, Blueprint::Routing routing);

  /// The kind of the route (an index of `ways`): how many levels up it goes; 0 within a leaf.
  int way(std::int64_t leaf, std::int64_t other) const {
    int level = 0;
    for (; leaf != other; ++level) {
      leaf /= tiers_[static_cast<std::size_t>(level) + 1].down;
      other /= tiers_[static_cast<std::size_t>(level) + 1].down;
    }
    return level;
  }
  std::vector<Crossing> ways(std::int64_t leaves) const;

  /// Up as the routing chooses, then down the only possible way.
  void route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const;

  std::uint64_t links() const { return links_; }
  std::size_t trunk(std::uint64_t link) const;
  std::string name(std::uint64_t link) const;

 private:
  struct Tier {
    std::string name;
    std::int64_t down, up;
    std::int64_t subtrees;  ///< of this level that hold leaves in use
    std::int64_t copies;    ///< switches per subtree
    std::uint64_t first;    ///< number of the first link up; the link down beside it has the next number
  };
  std::int64_t port(std::size_t level, const Trip& trip) const;

  Blueprint::Routing routing_;
  std::vector<Tier> tiers_;
  std::uint64_t links_ = 0;
};

}  // namespace collcast
