// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

#include "algorithms/alltoall/pairwise.hpp"

namespace collcast {

const Algorithm alltoallv_pairwise{
    .collective = Collective::alltoallv,
    .name = "pairwise",
    .description = "in step s rank r sends to rank r + s and receives from rank r - s",
    .formula =
        "sum over s = 1..p-1 of a + (largest block from a rank r to r + s) b; an upper bound, exact if equal",
    .exact = false,
    .bound = [](Rank ranks) { return std::max(ranks - 1.0, 1.0); },
    .source =
        "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005; unequal blocks: a step takes as long as its "
        "largest",
    .schedule = [](const Call& c) { return pairwise_alltoall(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const Rank p = c.ranks;
          if (c.counts.empty()) return (p - 1.0) * (m.alpha + c.message / p * m.beta);
          Seconds sum;
          for (Rank shift = 1; shift < p; ++shift) {
            Bytes largest;
            for (Rank r = 0; r < p; ++r)
              largest = std::max(largest, c.counts[static_cast<std::size_t>(r) * static_cast<std::size_t>(p) +
                                                   static_cast<std::size_t>((r + shift) % p)]);
            sum += m.alpha + largest * m.beta;
          }
          return sum;
        },
};

}  // namespace collcast
