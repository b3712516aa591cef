// SPDX-License-Identifier: Apache-2.0
#include "platforms/fat_tree.hpp"

#include <algorithm>

namespace collcast {

FatTree::FatTree(const std::vector<Blueprint::Level>& levels, std::int64_t leaves) {
  std::int64_t subtrees = leaves, copies = 1;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (l > 0) {
      subtrees = (subtrees + levels[l].down - 1) / levels[l].down;
      // The cap is far above what a LinkId numbers, so that the caller sees the excess.
      copies = std::min(copies * levels[l - 1].up, std::int64_t{1} << 32);
    }
    tiers_.push_back({levels[l].name, levels[l].down, levels[l].up, subtrees, copies, links_});
    const double way = 2.0 * static_cast<double>(subtrees) * static_cast<double>(copies) * levels[l].up;
    links_ += static_cast<std::uint64_t>(std::min(way, 1e12));
  }
}

void FatTree::route(std::int64_t from, std::int64_t to, std::uint64_t destination, LinkId base,
                    std::vector<LinkId>& links) const {
  const auto top = static_cast<std::size_t>(meet(from, to) - 1);
  const std::size_t begin = links.size();
  links.resize(begin + 2 * top);
  std::int64_t copy = 0;  // which of the equal switches of a subtree: the same on the way up and down
  for (std::size_t l = 0; l < top; ++l) {
    const Tier& t = tiers_[l];
    if (l > 0) from /= t.down, to /= t.down;
    const std::int64_t port = static_cast<std::int64_t>(destination) / t.copies % t.up;
    auto link = [&](std::int64_t subtree) {
      const std::int64_t index = (subtree * t.copies + copy) * t.up + port;
      return base + static_cast<LinkId>(t.first + 2 * static_cast<std::uint64_t>(index));
    };
    links[begin + l] = link(from);
    links[links.size() - 1 - l] = link(to) + 1;
    copy += port * t.copies;
  }
}

}  // namespace collcast
