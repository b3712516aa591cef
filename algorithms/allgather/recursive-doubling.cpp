// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgather/recursive-doubling.hpp"

#include "algorithms/rows.hpp"

namespace collcast {

Schedule recursive_doubling_allgather(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    const Rank distance = 1 << s;
    for (Rank r = 0; r < p; ++r) step.send(r, r ^ distance, {r & ~(distance - 1), distance});
  };
  return {p, p, log2_floor(p), rule};
}

Rank bits_reversed(Rank rank, Rank ranks) {
  Rank reversed = 0;
  for (Rank bit = 1; bit < ranks; bit *= 2) reversed = 2 * reversed + (rank & bit ? 1 : 0);
  return reversed;
}

Schedule farthest_first_allgather(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    const Rank held = 1 << s, distance = p >> (s + 1);
    for (Rank r = 0; r < p; ++r) step.send(r, r ^ distance, {bits_reversed(r, p) & ~(held - 1), held});
  };
  return {p, p, log2_floor(p), rule};
}

const Algorithm allgather_recursive_doubling{
    .collective = Collective::allgather,
    .name = "recursive-doubling",
    .description = "neighbours at distance 1, 2, 4, ... swap all they have",
    .ranks = "power of two",
    .supports = power_of_two,
    .formula = "lg p a + (p-1)/p n b",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule = [](const Call& c) { return recursive_doubling_allgather(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return log2_floor(c.ranks) * m.alpha + (c.ranks - 1.0) / c.ranks * c.message * m.beta;
        },
};

}  // namespace collcast
