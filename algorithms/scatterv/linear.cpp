// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/scatter/linear.hpp"

namespace collcast {

const Algorithm scatterv_linear{
    .collective = Collective::scatterv,
    .name = "linear",
    .description = "the root sends each rank its block, one after the other",
    .formula = "(p-1) a + (n - own) b, own = the root's block",
    .source = "Chan, Heimlich, Purkayastha & van de Geijn, Concurrency Computat. Pract. Exper. 19, 2007",
    .schedule = [](const Call& c) { return linear_scatter(c.ranks, c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const Bytes own =
              c.counts.empty() ? c.message / c.ranks : c.counts[static_cast<std::size_t>(c.root)];
          return (c.ranks - 1.0) * m.alpha + (c.message - own) * m.beta;
        },
};

}  // namespace collcast
