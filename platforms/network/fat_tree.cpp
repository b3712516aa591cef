// SPDX-License-Identifier: Apache-2.0
#include "platforms/network/fat_tree.hpp"

#include <algorithm>

#include "platforms/network/hash.hpp"

namespace collcast {
FatTree::FatTree(const std::vector<Blueprint::Level>& levels, std::int64_t leaves, Blueprint::Routing routing)
    : routing_(routing) {
  std::int64_t subtrees = leaves, copies = 1;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (l > 0) {
      subtrees = (subtrees + levels[l].down - 1) / levels[l].down;
      // The cap is far above what a LinkId can number, so that the caller notices the excess.
      copies = std::min(copies * levels[l - 1].up, std::int64_t{1} << 32);
    }
    tiers_.push_back({levels[l].name, levels[l].down, levels[l].up, subtrees, copies, links_});
    const double way = 2.0 * static_cast<double>(subtrees) * static_cast<double>(copies) * levels[l].up;
    links_ += static_cast<std::uint64_t>(std::min(way, 1e12));
  }
}

std::vector<Crossing> FatTree::ways(std::int64_t leaves) const {
  std::vector<Crossing> all = {{1}};
  for (int level = 1; level <= way(0, leaves - 1); ++level) {
    all.push_back({all.back().switches + 2, all.back().trunks});
    all.back().trunks.insert(all.back().trunks.end(), 2, level - 1);
  }
  return all;
}

/// The port up from a level. D-mod-k: by the number of the destination; Zahavi et al., J. Parallel Distrib.
/// Comput. 72 (2012). ECMP: by a hash of the two ends, a different one at each level.
std::int64_t FatTree::port(std::size_t level, const Trip& trip) const {
  const Tier& t = tiers_[level];
  if (!routing_.hashed) return static_cast<std::int64_t>(trip.destination) / t.copies % t.up;
  return hashed_choice(routing_.seed + level, trip.source, trip.destination, t.up);
}

void FatTree::route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const {
  const auto top = static_cast<std::size_t>(way(trip.from, trip.to));
  const std::size_t begin = links.size();
  links.resize(begin + 2 * top);
  std::int64_t from = trip.from, to = trip.to;
  std::int64_t copy = 0;  // which of a subtree's equal switches; the same on the way up and down
  for (std::size_t l = 0; l < top; ++l) {
    const Tier& t = tiers_[l];
    if (l > 0) from /= t.down, to /= t.down;
    const std::int64_t up = port(l, trip);
    auto link = [&](std::int64_t subtree) {
      const std::int64_t index = (subtree * t.copies + copy) * t.up + up;
      return base + static_cast<LinkId>(t.first + 2 * static_cast<std::uint64_t>(index));
    };
    links[begin + l] = link(from);
    links[links.size() - 1 - l] = link(to) + 1;
    copy += up * t.copies;
  }
}

std::size_t FatTree::trunk(std::uint64_t link) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(tiers_, link, {}, &Tier::first) - tiers_.begin() -
                                  1);
}

std::string FatTree::name(std::uint64_t link) const {
  const Tier& t = tiers_[trunk(link)];
  const std::uint64_t index = (link - t.first) / 2, up = static_cast<std::uint64_t>(t.up);
  return t.name + " " + std::to_string(index / up) + ((link - t.first) % 2 ? " down " : " up ") +
         std::to_string(index % up);
}

}  // namespace collcast
