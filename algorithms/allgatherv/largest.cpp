// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgatherv/largest.hpp"

#include <algorithm>

#include "model/layout.hpp"

namespace collcast {

Seconds time_of_largest(const Schedule& schedule, const Call& c, const AlphaBetaGamma& m) {
  const Layout sizes = c.counts.empty() ? Layout::equal(c.message, schedule.blocks) : Layout(c.counts);
  Seconds sum;
  for_each_step(schedule, true, [&](const Step& step) {
    std::vector<Bytes> largest;
    std::vector<std::size_t> sent(static_cast<std::size_t>(schedule.ranks));
    for (const Transfer& t : step.transfers) {
      const std::size_t i = sent[static_cast<std::size_t>(t.from.rank)]++;
      if (largest.size() == i) largest.emplace_back();
      largest[i] = std::max(largest[i], sizes.size(step, t));
    }
    for (const Bytes message : largest) sum += m.alpha + message * m.beta;
  });
  return sum;
}

double most_messages(Rank ranks) {
  return std::max(ranks - 1.0, 1.0);
}

}  // namespace collcast
