// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgatherv/linear.hpp"
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm reduce_scatter_linear{
    .collective = Collective::reduce_scatter,
    .name = "linear",
    .description = "every rank sends every other rank its block at once",
    .ranks = "up to 1024",
    .supports = up_to_1024,
    .formula = "(p-2) max(t, r) + t + r, t = a + n/p b, r = n/p g",
    .source = "Shah et al., MSCCL++, arXiv 2504.09014, 2025 (all pairs)",
    .schedule = [](const Call& c) { return mirrored(linear_allgather(c.ranks), Combine::reduce); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const Bytes block = c.message / c.ranks;
          return received_at_once(c.ranks - 1, m.alpha + block * m.beta, block * m.gamma);
        },
};

}  // namespace collcast
