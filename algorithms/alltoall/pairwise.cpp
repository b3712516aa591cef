// SPDX-License-Identifier: Apache-2.0
#include "algorithms/alltoall/pairwise.hpp"

#include "algorithms/rows.hpp"
#include "model/repeats.hpp"

namespace collcast {

Schedule pairwise_alltoall(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    for (Rank r = 0; r < p; ++r) {
      const Rank to = modulo(r + s + 1, p);
      step.send(r, to, {Block{r} * p + to});
    }
  };
  return symmetric({p, Block{p} * p, p - 1, rule}, [](std::int64_t) { return SymmetricStep{}; });
}

const Algorithm alltoall_pairwise{
    .collective = Collective::alltoall,
    .name = "pairwise",
    .description = "in step s rank r sends to rank r + s and receives from rank r - s",
    .formula = "(p-1) (a + n/p b)",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule = [](const Call& c) { return pairwise_alltoall(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
