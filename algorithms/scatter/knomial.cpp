// SPDX-License-Identifier: Apache-2.0
#include "algorithms/scatter/knomial.hpp"

#include <algorithm>

#include "algorithms/broadcast/knomial.hpp"
#include "algorithms/rows.hpp"

namespace collcast {

Schedule knomial_scatter(Rank p, int k, Rank root) {
  k = std::min(k, std::max(p, 2));
  const int rounds = log_ceil(p, k);
  auto rule = [=](std::int64_t s, Step& step) {
    const std::int64_t distance = power(k, rounds - 1 - s / (k - 1));
    const std::int64_t child = (s % (k - 1) + 1) * distance;
    for (std::int64_t r = 0; r + child < p; r += k * distance) {
      const Rank to = modulo(root + r + child, p);
      step.send_cyclic(modulo(root + r, p), to, to, std::min(distance, p - r - child), p);
    }
  };
  return {p, p, std::int64_t{rounds} * (k - 1), rule};
}

const Algorithm scatter_knomial{
    .collective = Collective::scatter,
    .name = "knomial",
    .description = "every rank hands on the blocks of its subtree in a k-nomial tree",
    .radix = true,
    .formula = "d a + (p-1)/p n b, d = (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p)",
    .source =
        "Chan, Heimlich, Purkayastha & van de Geijn, Concurrency Computat. Pract. Exper. 19, 2007 (k = 2); k "
        "> 2 counted from the schedule",
    .schedule = [](const Call& c) { return knomial_scatter(c.ranks, c.radix, c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return knomial_depth(c.ranks, c.radix) * m.alpha + (c.ranks - 1.0) / c.ranks * c.message * m.beta;
        },
};

}  // namespace collcast
