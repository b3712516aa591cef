// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm barrier_linear{
    .collective = Collective::barrier,
    .name = "linear",
    .description = "all ranks tell rank 0, which then tells them all",
    .formula = "2(p-1) a",
    .source = "Open MPI 4.1, ompi/mca/coll/base/coll_base_barrier.c",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks](std::int64_t s, Step& step) {
            for (Rank r = 1; r < p; ++r)
              s == 0 ? step.send(r, 0, {0, 1}, Combine::reduce) : step.send(0, r, {0, 1});
          };
          return Schedule{c.ranks, 1, c.ranks > 1 ? 2 : 0, rule};
        },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return 2 * (c.ranks - 1.0) * m.alpha; },
};

}  // namespace collcast
