// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgather/pat.hpp"

namespace collcast {

const Algorithm reduce_scatter_pat{
    .collective = Collective::reduce_scatter,
    .name = "pat",
    .description = "the PAT allgather backwards",
    .buffer = true,
    .formula = "as the allgather's, with b + g for b",
    .source = "Jeaugey, arXiv 2506.20252, 2025",
    .schedule = [](const Call& c) { return mirrored(pat_allgather(c), Combine::reduce); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return static_cast<double>(pat_steps(c)) * m.alpha +
                 (c.ranks - 1.0) / c.ranks * c.message * (m.beta + m.gamma);
        },
};

}  // namespace collcast
