// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgatherv/largest.hpp"
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm allgatherv_recursive_doubling{
    .collective = Collective::allgatherv,
    .name = "recursive-doubling",
    .description = "neighbours at distance 1, 2, 4, ... swap all they have",
    .ranks = "power of two",
    .supports = power_of_two,
    .formula = formula_of_largest,
    .exact = false,
    .bound = most_messages,
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule = [](const Call& c) { return allgather_recursive_doubling.schedule(c); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return time_of_largest(allgather_recursive_doubling.schedule(c), c, m);
        },
};

}  // namespace collcast
