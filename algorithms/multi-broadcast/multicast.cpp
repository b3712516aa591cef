// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm multi_broadcast_multicast{
    .collective = Collective::multi_broadcast,
    .name = "multicast",
    .description = "the sources take turns to multicast their device memory",
    .formula = "m a + n b, m = sources (nothing on one rank)",
    .source = "Venkatesh et al., HiPC 2014; Chu et al., ICPP 2017",
    .schedule =
        [](const Call& c) {
          const Block sources = c.root + 1;
          auto rule = [p = c.ranks](std::int64_t s, Step& step) {
            step.multicast(static_cast<Rank>(s), {0, p}, {s});
          };
          return Schedule{c.ranks, sources, c.ranks == 1 ? 0 : sources, rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return c.ranks == 1 ? Seconds{} : (c.root + 1.0) * m.alpha + c.message * m.beta;
        },
};

}  // namespace collcast
