// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm reduce_flat{
    .collective = Collective::reduce,
    .name = "flat",
    .description = "every rank sends to the root, which reduces one message after the other",
    .formula = "(p-1) (a + n b + n g)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .schedule = [](const Call& c) { return mirrored(broadcast_flat.schedule(c), Combine::reduce); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + c.message * (m.beta + m.gamma));
        },
};

}  // namespace collcast
