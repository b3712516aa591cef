// SPDX-License-Identifier: Apache-2.0
#include "algorithms/barrier/dissemination.hpp"

namespace collcast {

const Algorithm barrier_dissemination{
    .collective = Collective::barrier,
    .name = "dissemination",
    .description = "in round s rank r tells rank r + 2^s all it has heard",
    .formula = "ceil(lg p) a",
    .source = "Hensgen, Finkel & Manber, Int. J. Parallel Programming 17, 1988",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r)
              step.send(r, modulo(r + (std::int64_t{1} << s), p), {0, 1}, Combine::reduce);
          };
          return Schedule{c.ranks, 1, log_ceil(c.ranks), rule};
        },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return log_ceil(c.ranks) * m.alpha; },
};

}  // namespace collcast
