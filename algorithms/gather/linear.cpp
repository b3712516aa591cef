// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/scatter/linear.hpp"

namespace collcast {

const Algorithm gather_linear{
    .collective = Collective::gather,
    .name = "linear",
    .description = "every rank sends its block to the root, one after the other",
    .formula = "(p-1) a + (p-1)/p n b",
    .source = "Chan, Heimlich, Purkayastha & van de Geijn, Concurrency Computat. Pract. Exper. 19, 2007",
    .schedule = [](const Call& c) { return mirrored(linear_scatter(c.ranks, c.root), Combine::copy); },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return scatter_linear.time(c, m); },
};

}  // namespace collcast
