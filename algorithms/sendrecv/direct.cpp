// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm sendrecv_direct{
    .collective = Collective::sendrecv,
    .name = "direct",
    .description = "every rank sends its message to the next rank",
    .formula = "a + n b (nothing on one rank)",
    .source = "Hockney, Parallel Computing 20(3), 1994",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks](std::int64_t, Step& step) {
            for (Rank r = 0; r < p; ++r) step.send(r, modulo(r + 1, p), {r});
          };
          // A rank that is its own neighbour has its message already.
          return Schedule{c.ranks, c.ranks, c.ranks == 1 ? 0 : 1, rule};
        },
    .time = [](const Call& c,
               const AlphaBetaGamma& m) { return c.ranks == 1 ? Seconds{} : m.alpha + c.message * m.beta; },
};

}  // namespace collcast
