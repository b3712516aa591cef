// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgatherv/linear.hpp"
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm allgather_linear{
    .collective = Collective::allgather,
    .name = "linear",
    .description = "every rank sends its block to every other rank at once",
    .ranks = "up to 1024",
    .supports = up_to_1024,
    .formula = "(p-1) (a + n/p b)",
    .source = "Shah et al., MSCCL++, arXiv 2504.09014, 2025 (all pairs)",
    .schedule = [](const Call& c) { return linear_allgather(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
