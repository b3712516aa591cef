// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm broadcast_flat{
    .collective = Collective::broadcast,
    .name = "flat",
    .description = "the root sends the message to every other rank, one after the other",
    .formula = "(p-1) (a + n b)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .schedule =
        [](const Call& c) {
          auto rule = [](std::int64_t s, Step& step) { step.send(0, static_cast<Rank>(s + 1), {0, 1}); };
          return rooted({c.ranks, 1, c.ranks - 1, rule}, c.root);
        },
    .time = [](const Call& c,
               const AlphaBetaGamma& m) { return (c.ranks - 1.0) * (m.alpha + c.message * m.beta); },
};

}  // namespace collcast
