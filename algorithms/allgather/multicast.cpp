// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm allgather_multicast{
    .collective = Collective::allgather,
    .name = "multicast",
    .description = "one rank after the other multicasts its block",
    .formula = "p (a + n/p b) (nothing on one rank)",
    .source = "Khalilov et al., SC 2024",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks](std::int64_t s, Step& step) {
            step.multicast(static_cast<Rank>(s), {0, p}, {s});
          };
          return Schedule{c.ranks, c.ranks, c.ranks == 1 ? 0 : c.ranks, rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return c.ranks == 1 ? Seconds{} : c.ranks * m.alpha + c.message * m.beta;
        },
};

}  // namespace collcast
