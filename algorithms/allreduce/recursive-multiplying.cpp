// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/folded.hpp"

namespace collcast {
namespace {

/// In round s each rank sends its message to the k - 1 ranks that differ from it in digit s to base k.
Schedule groups_of(int k, int rounds) {
  const auto p = static_cast<Rank>(power(k, rounds));
  auto rule = [=](std::int64_t s, Step& step) {
    const auto distance = static_cast<Rank>(power(k, s));
    for (Rank shift = 1; shift < k; ++shift)
      for (Rank r = 0; r < p; ++r) {
        const Rank digit = r / distance % k, other = (digit + shift) % k;
        step.send(r, r + (other - digit) * distance, {0, 1}, Combine::reduce);
      }
  };
  return {p, 1, rounds, rule};
}

}  // namespace

const Algorithm allreduce_recursive_multiplying{
    .collective = Collective::allreduce,
    .name = "recursive-multiplying",
    .description = "groups of k ranks at distance 1, k, k^2, ... swap whole messages",
    .radix = true,
    .formula =
        "L ((k-2) max(t, r) + t + r) + (ceil(p/k^L)-1) (2 t + r), t = a + n b, r = n g, L = floor(log_k p)",
    // The formula is exact for the critical path. Messages that are played meet at ports in another order,
    // and take longer.
    .exact = false,
    .bound = [](Rank) { return 1.0; },
    .source = "Ruefenacht, Bull & Booth, Parallel Computing 69, 2017",
    .schedule =
        [](const Call& c) {
          const int k = c.radix;
          return folded(c.ranks, groups_of(k, log_floor(c.ranks, k)));
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const int k = c.radix, rounds = log_floor(c.ranks, k);
          const Seconds transfer = m.alpha + c.message * m.beta, reduction = c.message * m.gamma;
          return rounds * received_at_once(k - 1, transfer, reduction) +
                 folding_time(c, static_cast<Rank>(power(k, rounds)), m);
        },
};

}  // namespace collcast
