// SPDX-License-Identifier: Apache-2.0
#include "model/load.hpp"

#include <algorithm>
#include <numeric>

#include "model/repeats.hpp"

namespace collcast {

std::vector<Seconds> loads(const Fabric& fabric, const std::vector<PairTraffic>& pairs) {
  const std::vector<Link>& links = fabric.links();
  std::vector<Seconds> busy(links.size());
  std::vector<LinkId> route;
  for (const PairTraffic& p : pairs) {
    route.clear();
    fabric.route(p.from, p.to, route);
    for (const LinkId l : route) busy[l] += p.bytes / links[l].bandwidth;
  }
  for (Seconds& b : busy) b = fabric.framing() * b;
  return busy;
}

Load heaviest(const Fabric& fabric, const std::vector<PairTraffic>& pairs) {
  return heaviest(fabric, loads(fabric, pairs));
}

Load heaviest(const Fabric& fabric, const std::vector<Seconds>& busy) {
  const auto most = std::ranges::max_element(busy);
  if (most == busy.end()) return {};
  const auto id = static_cast<LinkId>(most - busy.begin());
  return {*most, fabric.link_name(id), id};
}

namespace {

/// The traffic of the messages between device memories; only the first four million are counted.
std::vector<PairTraffic> messages(const Schedule& schedule, const Layout& layout) {
  constexpr std::size_t enough = 4'000'000;
  std::vector<PairTraffic> sent;
  std::size_t seen = 0;
  Step step(!layout.equal_blocks());
  for (std::int64_t s = 0, times = 1; s < schedule.steps && seen < enough; ++s) {
    times = layout.equal_blocks() ? occurrences(schedule, s) : 1;
    if (times == 0) continue;  // counted with the step that it repeats
    step.clear();
    schedule.rule(s, step);
    for (const Transfer& t : step.transfers)
      if (t.from.rank != t.to.rank && t.from.memory == Memory::device && t.to.memory == Memory::device)
        sent.push_back({t.from.rank, t.to.rank, static_cast<double>(times) * layout.size(step, t)});
    seen += step.transfers.size();
  }
  return sent;
}

/// Sorts by one end; pairs with the same rank there keep their order.
std::vector<PairTraffic> by_end(Rank PairTraffic::*end, const std::vector<PairTraffic>& sent, Rank ranks) {
  const auto number = [end](const PairTraffic& p) { return static_cast<std::size_t>(p.*end); };
  std::vector<std::size_t> place(static_cast<std::size_t>(ranks) + 1);
  for (const PairTraffic& p : sent) ++place[number(p) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<PairTraffic> sorted(sent.size());
  for (const PairTraffic& p : sent) sorted[place[number(p)]++] = p;
  return sorted;
}

}  // namespace

std::vector<PairTraffic> traffic(const Schedule& schedule, const Layout& layout) {
  const Rank ranks = schedule.ranks;
  std::vector<PairTraffic> pairs =
      by_end(&PairTraffic::from, by_end(&PairTraffic::to, messages(schedule, layout), ranks), ranks);
  std::size_t kept = 0;
  for (const PairTraffic& p : pairs) {
    PairTraffic* last = kept > 0 ? &pairs[kept - 1] : nullptr;
    if (last && last->from == p.from && last->to == p.to)
      last->bytes += p.bytes;
    else
      pairs[kept++] = p;
  }
  pairs.resize(kept);
  return pairs;
}

}  // namespace collcast
