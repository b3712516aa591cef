// SPDX-License-Identifier: Apache-2.0
#include "algorithms/broadcast/chain.hpp"

#include <algorithm>

#include "algorithms/rows.hpp"
#include "model/repeats.hpp"

namespace collcast {

Schedule chain_broadcast(Rank p, Block segments) {
  auto rule = [=](std::int64_t s, Step& step) {
    const std::int64_t last = std::min<std::int64_t>(p - 2, s);
    for (std::int64_t r = std::max<std::int64_t>(0, s - segments + 1); r <= last; ++r)
      step.send(static_cast<Rank>(r), static_cast<Rank>(r + 1), {s - r});
  };
  if (p == 1) return idle(p, segments);
  return repeating({p, segments, p - 2 + segments, rule}, {{p - 2, segments}});
}

const Algorithm broadcast_chain{
    .collective = Collective::broadcast,
    .name = "chain",
    .description = "K segments follow each other down a chain of ranks",
    .segmented = true,
    .formula = "(p-2+K) (a + n/K b)",
    .source = "Awan et al., arXiv 1707.09414, 2017 (pipelined chain)",
    .schedule = [](const Call& c) { return rooted(chain_broadcast(c.ranks, c.segments), c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          const auto segments = static_cast<double>(c.segments);
          return (c.ranks - 2 + segments) * (m.alpha + c.message / segments * m.beta);
        },
};

}  // namespace collcast
