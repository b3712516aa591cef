// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgather/hierarchical.hpp"

#include "algorithms/rows.hpp"
#include "model/repeats.hpp"

namespace collcast {

Schedule hierarchical_allgather(Rank p, Rank q) {
  auto on_rails = [=](std::int64_t s, Step& step) {
    for (Rank r = 0; r < p; ++r) step.send(r, modulo(r + q, p), {modulo(r - s * q, p)});
  };
  auto on_nodes = [=](std::int64_t, Step& step) {
    for (Rank shift = 1; shift < q; ++shift)
      for (Rank r = 0; r < p; ++r)
        step.send_scattered(r, r - r % q + (r + shift) % q, p / q, Combine::copy, [&](auto add) {
          for (Block b = r % q; b < p; b += q) add(Chunk{b});
        });
  };
  return then(symmetric({p, p, p / q - 1, on_rails}, [](std::int64_t) { return SymmetricStep{}; }),
              symmetric({p, p, 1, on_nodes},
                        [=](std::int64_t) { return SymmetricStep{.messages = q - 1, .blocks = p / q}; }));
}

const Algorithm allgather_hierarchical{
    .collective = Collective::allgather,
    .name = "hierarchical",
    .description = "a ring on each rail; then every rank sends what it has to all others of its node at once",
    .ranks_per_node = true,
    .formula = "(N-1) (a + n/p b) + (q-1) (a + n/q b)",
    .source =
        "Traeff & Hunold, Decomposing MPI collectives for exploiting multi-lane communication, CLUSTER 2020",
    .schedule = [](const Call& c) { return hierarchical_allgather(c.ranks, c.ranks_per_node); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double q = c.ranks_per_node, nodes = c.ranks / q;
          return (nodes - 1) * (m.alpha + c.message / c.ranks * m.beta) +
                 (q - 1) * (m.alpha + c.message / q * m.beta);
        },
};

}  // namespace collcast
