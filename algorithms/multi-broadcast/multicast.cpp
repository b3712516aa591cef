// SPDX-License-Identifier: Apache-2.0
#include "algorithms/multi-broadcast/multicast.hpp"

#include "algorithms/gpu-broadcast/multicast.hpp"

namespace collcast {

const Algorithm multi_broadcast_multicast{
    .collective = Collective::multi_broadcast,
    .name = "multicast",
    .description = "the sources take turns to multicast their device memory, packet by packet",
    .packet = true,
    .formula = "m ceil(n/(m U)) a + n b, m = sources, U = packet (nothing on one rank)",
    .source = "Venkatesh et al., HiPC 2014; Chu et al., ICPP 2017",
    .schedule =
        [](const Call& c) {
          const Block sources = c.root + 1;
          const Block each = packets(c.message / static_cast<double>(sources), c);
          auto rule = [each, p = c.ranks](std::int64_t s, Step& step) {
            step.multicast(static_cast<Rank>(s / each), {0, p}, {s});
          };
          return Schedule{c.ranks, sources * each, c.ranks == 1 ? 0 : sources * each, rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          const double sources = c.root + 1;
          return sources * static_cast<double>(packets(c.message / sources, c)) * m.alpha +
                 c.message * m.beta;
        },
};

}  // namespace collcast
