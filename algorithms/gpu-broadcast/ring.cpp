// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/broadcast/chain.hpp"
#include "model/staging.hpp"

namespace collcast {

const Algorithm broadcast_ring_direct{
    .collective = Collective::broadcast,
    .name = "ring-direct",
    .description = "the message goes from device to device down a chain of ranks",
    .formula = "(p-1) (a + n b)",
    .source = "Chu et al., ICPP 2017",
    .schedule = [](const Call& c) { return rooted(chain_broadcast(c.ranks, 1), c.root); },
    .time = [](const Call& c,
               const AlphaBetaGamma& m) { return (c.ranks - 1.0) * (m.alpha + c.message * m.beta); },
};

const Algorithm broadcast_ring_staging{
    .collective = Collective::broadcast,
    .name = "ring-staging",
    .description =
        "copied to host memory, the message goes from host to host down a chain of ranks; each copies it to "
        "its device",
    .formula = "(p-1) (a + n b) and the copies",
    .source = "Chu et al., ICPP 2017",
    .schedule =
        [](const Call& c) {
          return staged(broadcast_ring_direct.schedule(c), definition(Collective::broadcast), c.root,
                        Memory::host);
        },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return broadcast_ring_direct.time(c, m); },
};

const Algorithm broadcast_ring_pipeline{
    .collective = Collective::broadcast,
    .name = "ring-pipeline",
    .description = "K chunks follow each other from device to device down a chain of ranks",
    .segmented = true,
    .formula = "(p-2+K) (a + n/K b)",
    .source = "Chu et al., ICPP 2017",
    .schedule = [](const Call& c) { return broadcast_chain.schedule(c); },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return broadcast_chain.time(c, m); },
};

}  // namespace collcast
