// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgatherv/linear.hpp"

namespace collcast {

const Algorithm allreduce_two_shot{
    .collective = Collective::allreduce,
    .name = "two-shot",
    .description = "every rank reduces one share, sent straight to it, and sends the sum straight to all",
    .ranks = "up to 1024",
    .supports = up_to_1024,
    .formula = "(p-2) max(t, r) + t + r + (p-1) t, t = a + n/p b, r = n/p g",
    .source = "Shah et al., MSCCL++, arXiv 2504.09014, 2025 (two-phase all pairs)",
    .schedule =
        [](const Call& c) {
          const Schedule gather = linear_allgather(c.ranks);
          return then(mirrored(gather, Combine::reduce), gather);
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const Bytes share = c.message / c.ranks;
          const Seconds transfer = m.alpha + share * m.beta;
          return received_at_once(c.ranks - 1, transfer, share * m.gamma) + (c.ranks - 1.0) * transfer;
        },
};

}  // namespace collcast
