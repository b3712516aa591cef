// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgather/pat.hpp"

namespace collcast {

Schedule pat_allgather(Rank p) {
  const int rounds = log_ceil(p);
  auto rule = [=](std::int64_t s, Step& step) {
    const std::int64_t distance = std::int64_t{1} << (rounds - 1 - s);
    // Rank r has blocks r, r - 2 distance, r - 4 distance, ...; those go on that have not gone round yet.
    const Block count = (p - distance - 1) / (2 * distance) + 1;
    for (Rank r = 0; r < p; ++r)
      step.send_scattered(r, modulo(r + distance, p), count, Combine::copy, [&](auto add) {
        for (Block i = 0; i < count; ++i) add(Chunk{modulo(r - 2 * i * distance, p)});
      });
  };
  return {p, p, rounds, rule};
}

const Algorithm allgather_pat{
    .collective = Collective::allgather,
    .name = "pat",
    .description =
        "every block goes down a binomial tree of its own, far ranks first; messages of the same step travel "
        "as one",
    .formula = "ceil(lg p) a + (p-1)/p n b",
    .source = "Jeaugey, arXiv 2506.20252, 2025 (full aggregation)",
    .schedule = [](const Call& c) { return pat_allgather(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return log_ceil(c.ranks) * m.alpha + (c.ranks - 1.0) / c.ranks * c.message * m.beta;
        },
};

}  // namespace collcast
