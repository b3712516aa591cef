// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgatherv/largest.hpp"
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm allgatherv_bruck{
    .collective = Collective::allgatherv,
    .name = "bruck",
    .description = "in round s rank r sends all it has to the k - 1 ranks k^s, 2 k^s, ... before it",
    .radix = true,
    .formula = formula_of_largest,
    .exact = false,
    .bound = most_messages,
    .source =
        "Bruck et al., IEEE Trans. Parallel Distrib. Syst. 8(11), 1997; Open MPI 4.0, "
        "ompi/mca/coll/base/coll_base_allgatherv.c",
    .schedule = [](const Call& c) { return allgather_bruck.schedule(c); },
    .time = [](const Call& c,
               const AlphaBetaGamma& m) { return time_of_largest(allgather_bruck.schedule(c), c, m); },
};

}  // namespace collcast
