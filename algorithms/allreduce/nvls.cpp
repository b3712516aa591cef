// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allreduce/nvls.hpp"

#include "algorithms/allgather/nvls.hpp"
#include "algorithms/reduce-scatter/nvls.hpp"

namespace collcast {

const Algorithm allreduce_nvls{
    .collective = Collective::allreduce,
    .name = "nvls",
    .description = "each rank takes the sum of its share, reduced in the switch, and multicasts it",
    .formula = "2(p-1) (a + n/p b)",
    .source = "NCCL 2.17 (NVLink SHARP); formula counted from the schedule",
    .schedule =
        [](const Call& c) { return then(reduce_scatter_nvls.schedule(c), allgather_nvls.schedule(c)); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return 2 * (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
