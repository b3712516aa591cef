// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm barrier_ring{
    .collective = Collective::barrier,
    .name = "ring",
    .description = "a token goes round twice: the first time it collects, the second it tells",
    .formula = "2(p-1) a",
    .source =
        "Hoefler et al., A survey of barrier algorithms for coarse grained supercomputers, TU Chemnitz "
        "CSR-04-03, 2004",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks](std::int64_t s, Step& step) {
            const Rank r = modulo(s, p);
            step.send(r, modulo(r + 1, p), {0, 1}, Combine::reduce);
          };
          return Schedule{c.ranks, 1, 2 * (std::int64_t{c.ranks} - 1), rule};
        },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return 2 * (c.ranks - 1.0) * m.alpha; },
};

}  // namespace collcast
