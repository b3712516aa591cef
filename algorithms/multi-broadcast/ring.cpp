// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm multi_broadcast_ring{
    .collective = Collective::multi_broadcast,
    .name = "ring",
    .description = "the message of every source travels round a ring, all at once",
    .formula = "(p-1) (a + n/m b), m = sources",
    .source = "Chu et al., ICPP 2017 (without multicast; the ring allgather if m = p)",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks, last = c.root](std::int64_t s, Step& step) {
            for (Rank source = 0; source <= last; ++source)
              step.send(modulo(source + s, p), modulo(source + s + 1, p), {source});
          };
          return Schedule{c.ranks, Block{c.root} + 1, c.ranks - 1, rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + c.message / (c.root + 1.0) * m.beta);
        },
};

}  // namespace collcast
