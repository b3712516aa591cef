// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allreduce/rabenseifner.hpp"

#include "algorithms/allgather/recursive-doubling.hpp"
#include "algorithms/folded.hpp"
#include "algorithms/rows.hpp"

namespace collcast {

Schedule rabenseifner_allreduce(Rank p) {
  const Schedule gather = farthest_first_allgather(1 << log2_floor(p));
  return folded(p, then(mirrored(gather, Combine::reduce), gather));
}

const Algorithm allreduce_rabenseifner{
    .collective = Collective::allreduce,
    .name = "rabenseifner",
    .description = "reduce-scatter by halves, neighbours first, then allgather, neighbours last",
    .formula = "2 lg q a + 2(q-1)/q n b + (q-1)/q n g, q = 2^floor(lg p), and 2 a + 2 n b + n g unless q = p",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule = [](const Call& c) { return rabenseifner_allreduce(c.ranks); },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return folded_halves_time(c, m); },
};

}  // namespace collcast
