// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgatherv/largest.hpp"
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm allgatherv_neighbor_exchange{
    .collective = Collective::allgatherv,
    .name = "neighbor-exchange",
    .description =
        "pairs swap blocks, then every rank passes the last two blocks on, to its two neighbours in turn",
    .ranks = "1 or even",
    .supports = [](Rank p) { return p == 1 || p % 2 == 0; },
    .formula = formula_of_largest,
    .exact = false,
    .bound = most_messages,
    .source = "Chen, Zhang, Zhang & Yuan, HPC-Asia 2005",
    .schedule = [](const Call& c) { return allgather_neighbor_exchange.schedule(c); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return time_of_largest(allgather_neighbor_exchange.schedule(c), c, m);
        },
};

}  // namespace collcast
