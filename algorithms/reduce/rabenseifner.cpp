// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/allgather/recursive-doubling.hpp"
#include "algorithms/folded.hpp"
#include "algorithms/scatter/knomial.hpp"

namespace collcast {

const Algorithm reduce_rabenseifner{
    .collective = Collective::reduce,
    .name = "rabenseifner",
    .description =
        "reduce-scatter by halves, neighbours first, then binomial gather to the root, neighbours last",
    .formula = "2 lg q a + 2(q-1)/q n b + (q-1)/q n g, q = 2^floor(lg p), and a + n b + n g unless q = p",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule =
        [](const Call& c) {
          const Rank q = 1 << log2_floor(c.ranks);
          const Schedule gather = mirrored(knomial_scatter(q, 2, 0), Combine::copy);
          const Schedule inner = then(mirrored(farthest_first_allgather(q), Combine::reduce),
                                      renamed(gather, q, [q](Rank r) { return bits_reversed(r, q); }));
          return rooted(folded(c.ranks, inner, false), c.root);
        },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return folded_halves_time(c, m, false); },
};

}  // namespace collcast
