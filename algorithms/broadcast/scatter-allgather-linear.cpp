// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgatherv/linear.hpp"

namespace collcast {

const Algorithm broadcast_scatter_allgather_linear{
    .collective = Collective::broadcast,
    .name = "scatter-allgather-linear",
    .description = "the root sends every rank its block at once, which each sends to every other at once",
    .ranks = "up to 1024",
    .supports = up_to_1024,
    .formula = "2(p-1) (a + n/p b)",
    // The formula is exact for the critical path. Messages that are played meet at ports in another order,
    // and take longer.
    .exact = false,
    .bound = [](Rank) { return 1.0; },
    .source = "as scatter-allgather-ring; all pairs: Shah et al., MSCCL++, arXiv 2504.09014, 2025",
    .schedule =
        [](const Call& c) {
          auto scatter = [p = c.ranks, root = c.root](std::int64_t, Step& step) {
            for (Rank shift = 1; shift < p; ++shift) {
              const Rank to = (root + shift) % p;
              step.send(root, to, {to});
            }
          };
          return then({c.ranks, c.ranks, 1, scatter}, linear_allgather(c.ranks));
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return 2 * (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
