// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "model/repeats.hpp"

namespace collcast {

const Algorithm allreduce_in_network{
    .collective = Collective::allreduce,
    .name = "in-network",
    .description =
        "the switches reduce K segments on their way to rank 0, and replicate them on their way back",
    .segmented = true,
    .formula = "(K+1) (a + n/K b) (nothing on one rank)",
    .source = "Graham et al., SHARP, COMHPC 2016; streaming: ISC 2020",
    .schedule =
        [](const Call& c) {
          auto rule = [p = c.ranks, segments = c.segments](std::int64_t s, Step& step) {
            if (s < segments) step.reduce_in_network({0, p}, 0, {s});
            if (s > 0) step.multicast(0, {0, p}, {s - 1});
          };
          return repeating({c.ranks, c.segments, c.ranks == 1 ? 0 : c.segments + 1, rule}, {{1, c.segments}});
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          const auto segments = static_cast<double>(c.segments);
          return (segments + 1) * (m.alpha + c.message / segments * m.beta);
        },
};

}  // namespace collcast
