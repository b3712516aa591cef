// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/scatter/linear.hpp"

namespace collcast {

const Algorithm gatherv_linear{
    .collective = Collective::gatherv,
    .name = "linear",
    .description = "every rank sends its block to the root, one after the other",
    .formula = "(p-1) a + (n - own) b, own = the root's block",
    .source = "Chan, Heimlich, Purkayastha & van de Geijn, Concurrency Computat. Pract. Exper. 19, 2007",
    .schedule = [](const Call& c) { return mirrored(linear_scatter(c.ranks, c.root), Combine::copy); },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return scatterv_linear.time(c, m); },
};

}  // namespace collcast
