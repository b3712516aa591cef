// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm allreduce_one_shot{
    .collective = Collective::allreduce,
    .name = "one-shot",
    .description = "every rank sends its whole message to every other rank at once",
    .ranks = "up to 1024",
    .supports = up_to_1024,
    .formula = "(p-2) max(a + n b, n g) + a + n b + n g",
    .source = "Shah et al., MSCCL++, arXiv 2504.09014, 2025 (one-phase all pairs)",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks](std::int64_t, Step& step) {
            for (Rank shift = 1; shift < p; ++shift)
              for (Rank r = 0; r < p; ++r) step.send(r, (r + shift) % p, {0, 1}, Combine::reduce);
          };
          return Schedule{c.ranks, 1, 1, rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return received_at_once(c.ranks - 1, m.alpha + c.message * m.beta, c.message * m.gamma);
        },
};

}  // namespace collcast
