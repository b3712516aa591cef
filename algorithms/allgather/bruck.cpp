// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

#include "algorithms/broadcast/knomial.hpp"

namespace collcast {

const Algorithm allgather_bruck{
    .collective = Collective::allgather,
    .name = "bruck",
    .description = "in round s rank r sends all it has to the k - 1 ranks k^s, 2 k^s, ... before it",
    .radix = true,
    .formula = "d a + (p-1)/p n b, d = (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p)",
    .source = "Bruck et al., IEEE Trans. Parallel Distrib. Syst. 8(11), 1997",
    .schedule =
        [](const Call& c) {
          const Rank p = c.ranks;
          const int k = std::min(c.radix, std::max(p, 2));
          auto rule = [=](std::int64_t s, Step& step) {
            const std::int64_t have = power(k, s);  // rank r has blocks r, r + 1, ...
            for (std::int64_t distance = have; distance < std::min<std::int64_t>(k * have, p);
                 distance += have)
              for (Rank r = 0; r < p; ++r)
                step.send_cyclic(r, modulo(r - distance, p), r, std::min(have, p - distance), p);
          };
          return Schedule{p, p, log_ceil(p, k), rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return knomial_depth(c.ranks, c.radix) * m.alpha + (c.ranks - 1.0) / c.ranks * c.message * m.beta;
        },
};

}  // namespace collcast
