// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/chain.hpp"

namespace collcast {

const Algorithm reduce_chain{
    .collective = Collective::reduce,
    .name = "chain",
    .description = "the pipelined chain backwards",
    .segmented = true,
    .formula = "(p-2+K) (a + n/K (b + g))",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007 (pipeline)",
    .schedule = [](const Call& c) { return mirrored(broadcast_chain.schedule(c), Combine::reduce); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          const auto segments = static_cast<double>(c.segments);
          return (c.ranks - 2 + segments) * (m.alpha + c.message / segments * (m.beta + m.gamma));
        },
};

}  // namespace collcast
