// SPDX-License-Identifier: Apache-2.0
#include "model/load.hpp"

#include <algorithm>
#include <unordered_map>

#include "model/repeats.hpp"

namespace collcast {

Load heaviest(const Fabric& fabric, const std::vector<PairTraffic>& pairs) {
  const std::vector<Link>& links = fabric.links();
  std::vector<Seconds> busy(links.size());
  std::vector<LinkId> route;
  for (const PairTraffic& p : pairs) {
    route.clear();
    fabric.route(p.from, p.to, route);
    const double framing = fabric.wire(p.from, p.to, p.bytes).framing;
    for (const LinkId l : route) busy[l] += framing * p.bytes / links[l].bandwidth;
  }
  const auto most = std::ranges::max_element(busy);
  if (most == busy.end()) return {};
  return {*most, links[static_cast<std::size_t>(most - busy.begin())].name};
}

Load heaviest(const Fabric& fabric, const Schedule& schedule, const Layout& layout) {
  constexpr std::size_t enough = 4'000'000;
  std::unordered_map<std::uint64_t, Bytes> sent;
  std::size_t seen = 0;
  Step step(!layout.equal_blocks());
  for (std::int64_t s = 0, times = 1; s < schedule.steps && seen < enough; ++s) {
    times = layout.equal_blocks() ? occurrences(schedule, s) : 1;
    if (times == 0) continue;  // counted with the first of its kind
    step.clear();
    schedule.rule(s, step);
    for (const Transfer& t : step.transfers)
      if (t.from.rank != t.to.rank && t.from.memory == Memory::device && t.to.memory == Memory::device)
        sent[std::uint64_t{static_cast<std::uint32_t>(t.from.rank)} << 32 |
             static_cast<std::uint32_t>(t.to.rank)] += static_cast<double>(times) * layout.size(step, t);
    seen += step.transfers.size();
  }
  std::vector<PairTraffic> pairs;
  pairs.reserve(sent.size());
  for (const auto& [key, bytes] : sent)
    pairs.push_back({static_cast<Rank>(key >> 32), static_cast<Rank>(key & 0xffffffff), bytes});
  return heaviest(fabric, pairs);
}

}  // namespace collcast
