// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm reduce_scatter_pairwise{
    .collective = Collective::reduce_scatter,
    .name = "pairwise",
    .description = "in step s rank r sends rank r + s its block",
    .formula = "(p-1) a + (p-1)/p n (b + g)",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r) {
              const Rank to = modulo(r + s + 1, p);
              step.send(r, to, {to}, Combine::reduce);
            }
          };
          return Schedule{c.ranks, c.ranks, c.ranks - 1, rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * (m.beta + m.gamma));
        },
};

}  // namespace collcast
