// SPDX-License-Identifier: Apache-2.0
#include "algorithms/reduce-scatter/recursive-halving.hpp"

#include "algorithms/allgather/recursive-doubling.hpp"

namespace collcast {

const Algorithm reduce_scatter_recursive_halving{
    .collective = Collective::reduce_scatter,
    .name = "recursive-halving",
    .description = "the recursive-doubling allgather backwards",
    .ranks = "power of two",
    .supports = power_of_two,
    .formula = "lg p a + (p-1)/p n (b + g)",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule =
        [](const Call& c) { return mirrored(recursive_doubling_allgather(c.ranks), Combine::reduce); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return log2_floor(c.ranks) * m.alpha + (c.ranks - 1.0) / c.ranks * c.message * (m.beta + m.gamma);
        },
};

}  // namespace collcast
