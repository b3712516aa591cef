// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allreduce/recursive-doubling.hpp"

#include "algorithms/folded.hpp"
#include "algorithms/rows.hpp"

namespace collcast {
Schedule hypercube_allreduce(Rank p) {
  const Rank q = 1 << log2_floor(p);
  auto rule = [q](std::int64_t s, Step& step) {
    for (Rank r = 0; r < q; ++r) step.send(r, r ^ (1 << s), {0, 1}, Combine::reduce);
  };
  return folded(p, {q, 1, log2_floor(q), rule});
}

const Algorithm allreduce_recursive_doubling{
    .collective = Collective::allreduce,
    .name = "recursive-doubling",
    .description = "neighbours at distance 1, 2, 4, ... swap whole messages",
    .formula = "floor(lg p) (a + n b + n g), and 2 a + 2 n b + n g unless p is a power of two",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule = [](const Call& c) { return hypercube_allreduce(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return log2_floor(c.ranks) * (m.alpha + c.message * (m.beta + m.gamma)) +
                 folding_time(c, 1 << log2_floor(c.ranks), m);
        },
};

}  // namespace collcast
