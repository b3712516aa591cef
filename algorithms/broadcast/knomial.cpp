// SPDX-License-Identifier: Apache-2.0
#include "algorithms/broadcast/knomial.hpp"

#include <algorithm>

#include "algorithms/rows.hpp"

namespace collcast {

Schedule knomial_broadcast(Rank p, int k) {
  k = std::min(k, std::max(p, 2));
  const int rounds = log_ceil(p, k);
  auto rule = [=](std::int64_t s, Step& step) {
    const std::int64_t distance = power(k, rounds - 1 - s / (k - 1));
    const std::int64_t child = (s % (k - 1) + 1) * distance;
    for (std::int64_t r = 0; r + child < p; r += k * distance)
      step.send(static_cast<Rank>(r), static_cast<Rank>(r + child), {0, 1});
  };
  return {p, 1, std::int64_t{rounds} * (k - 1), rule};
}

double knomial_depth(Rank p, int k) {
  if (p == 1) return 0;
  const int rounds = log_ceil(p, k);
  return static_cast<double>((k - 1) * (rounds - 1) + (p - 1) / power(k, rounds - 1));
}

const Algorithm broadcast_knomial{
    .collective = Collective::broadcast,
    .name = "knomial",
    .description =
        "in each round every rank that has the message sends it to k - 1 more, one after the other",
    .radix = true,
    .formula = "((k-1)(L-1) + floor((p-1)/k^(L-1))) (a + n b), L = ceil(log_k p)",
    .source =
        "binomial (k = 2): Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005; k > 2 counted from the schedule",
    .schedule = [](const Call& c) { return rooted(knomial_broadcast(c.ranks, c.radix), c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return knomial_depth(c.ranks, c.radix) * (m.alpha + c.message * m.beta);
        },
};

}  // namespace collcast
