// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allreduce/nvls.hpp"

namespace collcast {

const Algorithm allreduce_nvls{
    .collective = Collective::allreduce,
    .name = "nvls",
    .description = "each rank takes the sum of its share, reduced in the switch, and multicasts it",
    .formula = "2(p-1) (a + n/p b)",
    .source = "NCCL 2.17 (NVLink SHARP); formula counted from the schedule",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r)
              s == 0 ? step.reduce_in_network({0, p}, r, {r}) : step.multicast(r, {0, p}, {r});
          };
          return Schedule{c.ranks, c.ranks, 2, rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return 2 * (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
