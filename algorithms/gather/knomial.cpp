// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/scatter/knomial.hpp"

namespace collcast {

const Algorithm gather_knomial{
    .collective = Collective::gather,
    .name = "knomial",
    .description = "the k-nomial scatter backwards",
    .radix = true,
    .formula = "d a + (p-1)/p n b, d = (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p)",
    .source =
        "Chan, Heimlich, Purkayastha & van de Geijn, Concurrency Computat. Pract. Exper. 19, 2007 (k = 2); k "
        "> 2 counted from the schedule",
    .schedule =
        [](const Call& c) { return mirrored(knomial_scatter(c.ranks, c.radix, c.root), Combine::copy); },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return scatter_knomial.time(c, m); },
};

}  // namespace collcast
