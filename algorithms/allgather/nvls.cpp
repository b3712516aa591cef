// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm allgather_nvls{
    .collective = Collective::allgather,
    .name = "nvls",
    .description = "all ranks multicast their blocks at once",
    .formula = "(p-1) (a + n/p b)",
    .source = "NCCL (NVLink SHARP); formula counted from the schedule",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks](std::int64_t, Step& step) {
            for (Rank r = 0; r < p; ++r) step.multicast(r, {0, p}, {r});
          };
          return Schedule{c.ranks, c.ranks, c.ranks == 1 ? 0 : 1, rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
