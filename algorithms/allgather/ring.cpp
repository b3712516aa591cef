// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgather/ring.hpp"

#include "algorithms/rows.hpp"
#include "model/repeats.hpp"

namespace collcast {

Schedule ring_allgather(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    for (Rank r = 0; r < p; ++r) step.send(r, r + 1 < p ? r + 1 : 0, {modulo(r - s, p)});
  };
  return symmetric(repeating({p, p, p - 1, rule}, {{0, p - 1}}),
                   [](std::int64_t) { return SymmetricStep{}; });
}

const Algorithm allgather_ring{
    .collective = Collective::allgather,
    .name = "ring",
    .description = "every block travels once round a ring",
    .formula = "(p-1) a + (p-1)/p n b",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule = [](const Call& c) { return ring_allgather(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double steps = c.ranks - 1;
          return steps * m.alpha + steps / c.ranks * c.message * m.beta;
        },
};

}  // namespace collcast
