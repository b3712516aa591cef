// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgatherv/linear.hpp"

#include "algorithms/rows.hpp"
#include "model/repeats.hpp"

namespace collcast {

Schedule linear_allgather(Rank p) {
  auto rule = [p](std::int64_t, Step& step) {
    for (Rank shift = 1; shift < p; ++shift)
      for (Rank r = 0; r < p; ++r) step.send(r, (r + shift) % p, {r});
  };
  return symmetric({p, p, 1, rule}, [p](std::int64_t) { return SymmetricStep{.messages = p - 1}; });
}

const Algorithm allgatherv_linear{
    .collective = Collective::allgatherv,
    .name = "linear",
    .description = "every rank sends its block to every other rank at once",
    .ranks = "up to 4096",
    .supports = up_to_4096,
    .formula = "(p-1) (a + max b), max = the largest block",
    .source = "counted from the schedule: the owner of the largest block sends it p-1 times",
    .schedule = [](const Call& c) { return linear_allgather(c.ranks); },
    .time = [](const Call& c,
               const AlphaBetaGamma& m) { return (c.ranks - 1.0) * (m.alpha + largest_block(c) * m.beta); },
};

}  // namespace collcast
