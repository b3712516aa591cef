// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "model/repeats.hpp"

namespace collcast {

const Algorithm alltoall_hierarchical{
    .collective = Collective::alltoall,
    .name = "hierarchical",
    .description = "on each node every rank collects the blocks for its rail; then the rails exchange",
    .ranks_per_node = true,
    .formula = "(q-1) a + (q-1)/q n b + (N-1) a + (N-1)/N n b",
    .source = "Kumar et al., IPDPS 2008 (two-level alltoall)",
    .schedule =
        [](const Call& c) {
          const Rank p = c.ranks, q = c.ranks_per_node, nodes = p / q;
          auto in_node = [=](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r) {
              const Rank rail = modulo(r + s + 1, q);
              step.send_scattered(r, r - r % q + rail, nodes, Combine::copy, [&](auto add) {
                for (Rank to = rail; to < p; to += q) add(Chunk{Block{r} * p + to});
              });
            }
          };
          auto on_rail = [=](std::int64_t s, Step& step) {
            for (Rank r = 0; r < p; ++r) {
              const Rank to = modulo(r + (s + 1) * q, p);
              step.send_scattered(r, to, q, Combine::copy, [&](auto add) {
                for (Rank from = r - r % q, i = 0; i < q; ++i) add(Chunk{Block{from + i} * p + to});
              });
            }
          };
          const Block blocks = Block{p} * p;
          return then(symmetric({p, blocks, q - 1, in_node},
                                [=](std::int64_t) { return SymmetricStep{.blocks = nodes}; }),
                      symmetric({p, blocks, nodes - 1, on_rail},
                                [=](std::int64_t) { return SymmetricStep{.blocks = q}; }));
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double q = c.ranks_per_node, nodes = c.ranks / q;
          return (q - 1 + nodes - 1) * m.alpha + ((q - 1) / q + (nodes - 1) / nodes) * c.message * m.beta;
        },
};

}  // namespace collcast
