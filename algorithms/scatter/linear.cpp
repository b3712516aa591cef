// SPDX-License-Identifier: Apache-2.0
#include "algorithms/scatter/linear.hpp"

#include "algorithms/rows.hpp"

namespace collcast {

Schedule linear_scatter(Rank p, Rank root) {
  auto rule = [=](std::int64_t s, Step& step) {
    const Rank to = modulo(root + s + 1, p);
    step.send(root, to, {to});
  };
  return {p, p, p - 1, rule};
}

const Algorithm scatter_linear{
    .collective = Collective::scatter,
    .name = "linear",
    .description = "the root sends each rank its block, one after the other",
    .formula = "(p-1) a + (p-1)/p n b",
    .source = "Chan, Heimlich, Purkayastha & van de Geijn, Concurrency Computat. Pract. Exper. 19, 2007",
    .schedule = [](const Call& c) { return linear_scatter(c.ranks, c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
