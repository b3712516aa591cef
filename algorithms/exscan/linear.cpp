// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

#include "algorithms/exscan/shifted.hpp"
#include "algorithms/scan/linear.hpp"

namespace collcast {

const Algorithm exscan_linear{
    .collective = Collective::exscan,
    .name = "linear",
    .description = "every message moves to the next rank, then an inclusive scan without rank 0",
    .formula = "a + n b + (p-2) (a + n b + n g) (nothing on one rank)",
    .source = "Sanders & Traff, EuroPVM/MPI 2006",
    .schedule = [](const Call& c) { return shifted(c.ranks, linear_scan(std::max(c.ranks - 1, 1))); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          const Seconds transfer = m.alpha + c.message * m.beta;
          return transfer + (c.ranks - 2.0) * (transfer + c.message * m.gamma);
        },
};

}  // namespace collcast
