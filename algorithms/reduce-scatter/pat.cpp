// SPDX-License-Identifier: Apache-2.0
#include "algorithms/reduce-scatter/pat.hpp"

#include "algorithms/allgather/pat.hpp"

namespace collcast {

const Algorithm reduce_scatter_pat{
    .collective = Collective::reduce_scatter,
    .name = "pat",
    .description = "the PAT allgather backwards",
    .formula = "ceil(lg p) a + (p-1)/p n (b + g)",
    .source = "Jeaugey, arXiv 2506.20252, 2025 (full aggregation)",
    .schedule = [](const Call& c) { return mirrored(pat_allgather(c.ranks), Combine::reduce); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return log_ceil(c.ranks) * m.alpha + (c.ranks - 1.0) / c.ranks * c.message * (m.beta + m.gamma);
        },
};

}  // namespace collcast
