// SPDX-License-Identifier: Apache-2.0
#include "algorithms/reduce-scatter/ring.hpp"

#include "algorithms/rows.hpp"
#include "model/repeats.hpp"

namespace collcast {

Schedule ring_reduce_scatter(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    for (Rank r = 0; r < p; ++r) step.send(r, r + 1 < p ? r + 1 : 0, {modulo(r - s - 1, p)}, Combine::reduce);
  };
  return symmetric(repeating({p, p, p - 1, rule}, {{0, p - 1}}),
                   [](std::int64_t) { return SymmetricStep{.combine = Combine::reduce}; });
}

const Algorithm reduce_scatter_ring{
    .collective = Collective::reduce_scatter,
    .name = "ring",
    .description = "partial sums travel once round a ring",
    .formula = "(p-1) a + (p-1)/p n (b + g)",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule = [](const Call& c) { return ring_reduce_scatter(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * (m.beta + m.gamma));
        },
};

}  // namespace collcast
