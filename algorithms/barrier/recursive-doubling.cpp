// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allreduce/recursive-doubling.hpp"

namespace collcast {

const Algorithm barrier_recursive_doubling{
    .collective = Collective::barrier,
    .name = "recursive-doubling",
    .description = "the recursive-doubling allreduce of no data",
    .formula = "floor(lg p) a, and 2 a unless p is a power of two",
    .source =
        "Hoefler et al., A survey of barrier algorithms for coarse grained supercomputers, TU Chemnitz "
        "CSR-04-03, 2004",
    .schedule = [](const Call& c) { return hypercube_allreduce(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (log2_floor(c.ranks) + (power_of_two(c.ranks) ? 0 : 2)) * m.alpha;
        },
};

}  // namespace collcast
