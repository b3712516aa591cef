// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

#include "algorithms/allgather/ring.hpp"
#include "algorithms/reduce-scatter/ring.hpp"

namespace collcast {

const Algorithm allreduce_multi_ring{
    .collective = Collective::allreduce,
    .name = "multi-ring",
    .description = "c rings on a c-th of the message each, every other one backwards",
    .channels = true,
    .formula =
        "max(2(p-1) c t, (p-1) c r + ((p-2) c + 2) t), t = a + n/(p c) b, r = n/(p c) g; the ring if c = 1",
    .source = "Jeaugey, NCCL 2.0, GTC 2017; formula: two-machine flow shop of messages and reductions",
    .schedule =
        [](const Call& c) {
          const Schedule ring = then(ring_reduce_scatter(c.ranks), ring_allgather(c.ranks));
          const Schedule backwards = renamed(ring, c.ranks, [p = c.ranks](Rank r) { return p - 1 - r; });
          Schedule all = ring;
          for (int i = 1; i < c.channels; ++i) all = beside(std::move(all), i % 2 == 0 ? ring : backwards);
          return all;
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double rounds = c.ranks - 1.0, rings = c.channels;
          const Bytes block = c.message / (c.ranks * rings);
          const Seconds transfer = m.alpha + block * m.beta, reduction = block * m.gamma;
          if (c.channels == 1) return rounds * (2 * transfer + reduction);
          if (c.ranks == 1) return Seconds{};
          // Reductions hide behind the other rings' messages, or messages behind reductions.
          return std::max(2 * rounds * rings * transfer,
                          rounds * rings * reduction + (rounds * rings - rings + 2) * transfer);
        },
};

}  // namespace collcast
