// SPDX-License-Identifier: Apache-2.0
#include "algorithms/alltoall/linear.hpp"

#include "algorithms/alltoall/pairwise.hpp"
#include "algorithms/rows.hpp"

#include "model/repeats.hpp"

namespace collcast {

Schedule linear_alltoall(Rank p) {
  auto rule = [rule = pairwise_alltoall(p).rule, p](std::int64_t, Step& step) {
    for (Rank s = 0; s < p - 1; ++s) rule(s, step);
  };
  return symmetric({p, Block{p} * p, 1, rule},
                   [p](std::int64_t) { return SymmetricStep{.messages = p - 1}; });
}

const Algorithm alltoall_linear{
    .collective = Collective::alltoall,
    .name = "linear",
    .description = "every rank sends every other rank its block at once",
    .ranks = "up to 4096",
    .supports = up_to_4096,
    .formula = "(p-1) (a + n/p b)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .schedule = [](const Call& c) { return linear_alltoall(c.ranks); },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return alltoall_pairwise.time(c, m); },
};

}  // namespace collcast
