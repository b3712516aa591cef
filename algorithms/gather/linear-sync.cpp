// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm gather_linear_sync{
    .collective = Collective::gather,
    .name = "linear-sync",
    .description = "the root asks one rank after the other, by a message without data, for its block",
    .formula = "(p-1) (2 a + n/p b)",
    .source = "Open MPI 4.1, ompi/mca/coll/base/coll_base_gather.c",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks, root = c.root](std::int64_t s, Step& step) {
            const Rank from = modulo(root + s / 2 + 1, p);
            s % 2 == 0 ? step.send(root, from, {from, 0}) : step.send(from, root, {from});
          };
          return Schedule{c.ranks, c.ranks, 2 * (std::int64_t{c.ranks} - 1), rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (2 * m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
