// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

#include "algorithms/broadcast/knomial.hpp"

namespace collcast {

const Algorithm barrier_dissemination{
    .collective = Collective::barrier,
    .name = "dissemination",
    .description =
        "in round s rank r tells the ranks k^s, 2 k^s, ... further on, k - 1 in all, what it has heard",
    .radix = true,
    .formula = "((k-1)(L-1) + floor((p-1)/k^(L-1))) a, L = ceil(log_k p)",
    .source = "Hensgen, Finkel & Manber, Int. J. Parallel Programming 17, 1988 (k = 2)",
    .schedule =
        [](const Call& c) {
          const Rank p = c.ranks;
          const int k = std::min(c.radix, std::max(p, 2));
          auto rule = [=](std::int64_t s, Step& step) {
            const std::int64_t reach = power(k, s);
            for (std::int64_t distance = reach; distance < std::min<std::int64_t>(k * reach, p);
                 distance += reach)
              for (Rank r = 0; r < p; ++r) step.send(r, modulo(r + distance, p), {0, 1}, Combine::reduce);
          };
          return Schedule{p, 1, log_ceil(p, k), rule};
        },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return knomial_depth(c.ranks, c.radix) * m.alpha; },
};

}  // namespace collcast
