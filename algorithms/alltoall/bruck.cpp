// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

#include "algorithms/broadcast/knomial.hpp"

namespace collcast {
namespace {

/// How many of 0..p-1 have `digit` at `place` (1, k, k^2, ...) to base k.
Block with_digit(Rank p, std::int64_t place, int k, std::int64_t digit) {
  const std::int64_t rest = p % (place * k) - digit * place;
  return p / (place * k) * place + std::clamp<std::int64_t>(rest, 0, place);
}

/// A block that has to travel `way` ranks has, before round s, travelled as far as the lowest s digits of
/// `way` say.
Schedule bruck(const Call& c) {
  const Rank p = c.ranks;
  const int k = std::min(c.radix, std::max(p, 2));
  auto rule = [=](std::int64_t s, Step& step) {
    const std::int64_t place = power(k, s);
    for (std::int64_t digit = 1; digit < k && digit * place < p; ++digit) {
      const Block count = with_digit(p, place, k, digit);
      for (Rank r = 0; r < p; ++r)
        step.send_scattered(r, modulo(r + digit * place, p), count, Combine::copy, [&](auto add) {
          for (std::int64_t first = digit * place; first < p; first += k * place)
            for (std::int64_t way = first; way < std::min<std::int64_t>(first + place, p); ++way) {
              const Rank origin = modulo(r - (way - first), p);
              add(Chunk{Block{origin} * p + modulo(origin + way, p)});
            }
        });
    }
  };
  return {p, Block{p} * p, log_ceil(p, k), rule};
}

}  // namespace

const Algorithm alltoall_bruck{
    .collective = Collective::alltoall,
    .name = "bruck",
    .description =
        "in round s rank r sends rank r + j k^s all blocks whose way there has digit j at place s to base k, "
        "for j = 1..k-1",
    .radix = true,
    .formula =
        "d a + D/p n b, d = (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p), D = digits other than 0 of "
        "0..p-1 to base k ((k-1)/k p L if p = k^L)",
    .source = "Bruck et al., IEEE Trans. Parallel Distrib. Syst. 8(11), 1997",
    .schedule = bruck,
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const int k = std::min(c.radix, std::max(c.ranks, 2));
          Block digits = 0;
          for (std::int64_t place = 1; place < c.ranks; place *= k)
            digits += c.ranks - with_digit(c.ranks, place, k, 0);
          return knomial_depth(c.ranks, k) * m.alpha +
                 static_cast<double>(digits) / c.ranks * c.message * m.beta;
        },
};

}  // namespace collcast
