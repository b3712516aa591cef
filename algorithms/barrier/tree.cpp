// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/knomial.hpp"

namespace collcast {

const Algorithm barrier_tree{
    .collective = Collective::barrier,
    .name = "tree",
    .description = "k-nomial reduce and broadcast of no data",
    .radix = true,
    .formula = "2 ((k-1)(L-1) + floor((p-1)/k^(L-1))) a, L = ceil(log_k p)",
    .source =
        "Hoefler et al., A survey of barrier algorithms for coarse grained supercomputers, TU Chemnitz "
        "CSR-04-03, 2004",
    .schedule = [](const Call& c) { return allreduce_reduce_broadcast.schedule(c); },
    .time = [](const Call& c,
               const AlphaBetaGamma& m) { return 2 * knomial_depth(c.ranks, c.radix) * m.alpha; },
};

}  // namespace collcast
