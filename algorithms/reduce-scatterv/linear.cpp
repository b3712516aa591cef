// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgatherv/linear.hpp"

namespace collcast {

const Algorithm reduce_scatterv_linear{
    .collective = Collective::reduce_scatterv,
    .name = "linear",
    .description = "every rank sends every other rank its block at once",
    .ranks = "up to 4096",
    .supports = up_to_4096,
    .formula = "(p-2) max(t, r) + t + r, t = a + max b, r = max g, max = the largest block",
    .source = "counted from the schedule: the owner of the largest block receives it p-1 times",
    .schedule = [](const Call& c) { return mirrored(linear_allgather(c.ranks), Combine::reduce); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const Bytes block = largest_block(c);
          return received_at_once(c.ranks - 1, m.alpha + block * m.beta, block * m.gamma);
        },
};

}  // namespace collcast
