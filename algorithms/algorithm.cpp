// SPDX-License-Identifier: Apache-2.0
#include "algorithms/algorithm.hpp"

#include <algorithm>

#include "model/collective.hpp"

namespace collcast {

std::string full_name(const Algorithm& a) {
  return std::string(definition(a.collective).name) + " " + a.name;
}

std::vector<std::string_view> parameters(const Algorithm& a) {
  std::vector<std::string_view> names;
  if (a.radix) names.push_back("radix");
  if (a.segmented) names.push_back("segment");
  if (a.buffer) names.push_back("buffer");
  if (a.channels) names.push_back("channels");
  if (a.ranks_per_node) names.push_back("ranks-per-node");
  if (definition(a.collective).counted()) names.push_back("counts");
  return names;
}

Seconds received_at_once(double count, Seconds transfer, Seconds reduction) {
  if (count == 0) return {};
  return (count - 1) * std::max(transfer, reduction) + transfer + reduction;
}

Bytes largest_block(const Call& c) {
  return c.counts.empty() ? c.message / c.ranks : *std::ranges::max_element(c.counts);
}

Schedule rooted(const Schedule& from_rank_0, Rank root) {
  if (root == 0) return from_rank_0;
  const Rank p = from_rank_0.ranks;
  return renamed(from_rank_0, p, [root, p](Rank r) { return (r + root) % p; });
}

}  // namespace collcast
