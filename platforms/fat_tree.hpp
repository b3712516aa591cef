// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/fabric.hpp"
#include "platforms/blueprint.hpp"

namespace collcast {

/// The switches above `leaves` leaf switches. Level l holds, for each subtree of the levels below, as many
/// switches as there are ways up to it; each has one link to each of its parents.
/// An extended generalized fat tree: Ohring et al., IPPS 1995.
class FatTree {
 public:
  FatTree(const std::vector<Blueprint::Level>& levels, std::int64_t leaves);

  /// The level at which the ways from two leaves meet: 1 for the same leaf.
  int meet(std::int64_t leaf, std::int64_t other) const {
    int level = 1;
    for (; leaf != other; ++level) {
      leaf /= tiers_[static_cast<std::size_t>(level)].down;
      other /= tiers_[static_cast<std::size_t>(level)].down;
    }
    return level;
  }

  /// Appends the links from leaf to leaf, numbered from `base`: up by the destination's number (D-mod-k,
  /// Zahavi et al., J. Parallel Distrib. Comput. 72 (2012)), then the only way down.
  void route(std::int64_t from, std::int64_t to, std::uint64_t destination, LinkId base,
             std::vector<LinkId>& links) const;

  std::uint64_t links() const { return links_; }
  /// Names each link, in the order of the numbers. `bandwidth(level)`: of its links up, level 0 the leaves.
  template <class Bandwidth>
  void describe(std::vector<Link>& links, Bandwidth&& bandwidth) const;

 private:
  struct Tier {
    std::string name;
    std::int64_t down, up;
    std::int64_t subtrees;  ///< of this level that hold leaves in use
    std::int64_t copies;    ///< switches per subtree
    std::uint64_t first;    ///< number of the first link up; its way down is the next number
  };

  std::vector<Tier> tiers_;
  std::uint64_t links_ = 0;
};

template <class Bandwidth>
void FatTree::describe(std::vector<Link>& links, Bandwidth&& bandwidth) const {
  for (std::size_t l = 0; l < tiers_.size(); ++l)
    for (std::int64_t s = 0; s < tiers_[l].subtrees * tiers_[l].copies; ++s)
      for (std::int64_t port = 0; port < tiers_[l].up; ++port) {
        const std::string name = tiers_[l].name + " " + std::to_string(s);
        links.push_back({name + " up " + std::to_string(port), bandwidth(l)});
        links.push_back({name + " down " + std::to_string(port), bandwidth(l)});
      }
}

}  // namespace collcast
