// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

namespace collcast {

const Algorithm broadcast_multicast{
    .collective = Collective::broadcast,
    .name = "multicast",
    .description = "the root sends once; the switches replicate the message to all",
    .formula = "a + n b (nothing on one rank)",
    .source = "Liu, Mamidala & Panda, IPDPS 2004; of device memory: Venkatesh et al., HiPC 2014",
    .schedule =
        [](const Call& c) {
          auto rule = [root = c.root, p = c.ranks](std::int64_t, Step& step) {
            step.multicast(root, {0, p}, {0, 1});
          };
          return Schedule{c.ranks, 1, c.ranks == 1 ? 0 : 1, rule};
        },
    .time = [](const Call& c,
               const AlphaBetaGamma& m) { return c.ranks == 1 ? Seconds{} : m.alpha + c.message * m.beta; },
};

}  // namespace collcast
