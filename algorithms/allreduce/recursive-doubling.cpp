// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allreduce/recursive-doubling.hpp"

#include "algorithms/folded.hpp"

namespace collcast {
namespace {

/// Neighbours at distance 1, 2, 4, ... swap and reduce whole messages.
Schedule hypercube(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    for (Rank r = 0; r < p; ++r) step.send(r, r ^ (1 << s), {0, 1}, Combine::reduce);
  };
  return {p, 1, log2_floor(p), rule};
}

}  // namespace

const Algorithm allreduce_recursive_doubling{
    .collective = Collective::allreduce,
    .name = "recursive-doubling",
    .description = "neighbours at distance 1, 2, 4, ... swap whole messages",
    .formula = "floor(lg p) (a + n b + n g), and 2 a + 2 n b + n g unless p is a power of two",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule = [](const Call& c) { return folded(c.ranks, hypercube(1 << log2_floor(c.ranks))); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return log2_floor(c.ranks) * (m.alpha + c.message * (m.beta + m.gamma)) + folding_time(c, m);
        },
};

}  // namespace collcast
