// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "model/repeats.hpp"

namespace collcast {

const Algorithm allgather_neighbor_exchange{
    .collective = Collective::allgather,
    .name = "neighbor-exchange",
    .description =
        "pairs swap blocks, then every rank passes the last two blocks on, to its two neighbours in turn",
    .ranks = "1 or even",
    .supports = [](Rank p) { return p == 1 || p % 2 == 0; },
    .formula = "p/2 a + (p-1)/p n b",
    .source = "Chen, Zhang, Zhang & Yuan, HPC-Asia 2005",
    .schedule =
        [](const Call& c) {
          const Rank p = c.ranks;
          auto rule = [p](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r) {
              // The rank's partner is on this side in even steps, on the other side in odd ones.
              const Rank side = r % 2 == 0 ? 1 : -1;
              const Rank to = modulo(s % 2 == 0 ? r + side : r - side, p);
              if (s == 0) {
                step.send(r, to, {r});
                continue;
              }
              // The pair of blocks that came last. For an even rank these are pairs 0, -1, 1, -2, ... counted
              // from its own.
              const std::int64_t pairs = side * (s % 2 == 0 ? -s / 2 : s / 2);
              step.send(r, to, {modulo(2 * (r / 2 + pairs), p), 2});
            }
          };
          return symmetric(repeating({p, p, p / 2, rule}, {{1, p / 2, 2}}),
                           [](std::int64_t s) { return SymmetricStep{.blocks = s == 0 ? 1 : 2}; });
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return c.ranks / 2 * m.alpha + (c.ranks - 1.0) / c.ranks * c.message * m.beta;
        },
};

}  // namespace collcast
