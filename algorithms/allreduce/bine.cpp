// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/butterfly.hpp"
#include "algorithms/folded.hpp"

namespace collcast {

const Algorithm allreduce_bine{
    .collective = Collective::allreduce,
    .name = "bine",
    .description = "the butterfly of Swing, with blocks numbered so that every message is one range of them",
    .formula = "2 lg q a + 2(q-1)/q n b + (q-1)/q n g, q = 2^floor(lg p), and 2 a + 2 n b + n g unless q = p",
    .source = "De Sensi et al., Bine trees, SC 2025 (arXiv 2508.17311)",
    .schedule =
        [](const Call& c) {
          return folded(c.ranks,
                        butterfly_allreduce(std::make_shared<const Butterfly>(1 << log2_floor(c.ranks))));
        },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return folded_halves_time(c, m); },
};

}  // namespace collcast
