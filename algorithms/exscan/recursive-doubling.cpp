// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

#include "algorithms/exscan/shifted.hpp"
#include "algorithms/scan/recursive-doubling.hpp"

namespace collcast {

const Algorithm exscan_recursive_doubling{
    .collective = Collective::exscan,
    .name = "recursive-doubling",
    .description = "every message moves to the next rank, then an inclusive scan without rank 0",
    .formula = "a + n b + ceil(lg(p-1)) (a + n b + n g) (nothing on one rank)",
    .source = "Hillis & Steele, Comm. ACM 29(12), 1986",
    .schedule = [](const Call& c) { return shifted(c.ranks, doubling_scan(std::max(c.ranks - 1, 1))); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          const Seconds transfer = m.alpha + c.message * m.beta;
          return transfer + log_ceil(c.ranks - 1) * (transfer + c.message * m.gamma);
        },
};

}  // namespace collcast
