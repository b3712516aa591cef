// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allreduce/nvls.hpp"

namespace collcast {

Schedule switch_reduce_scatter(Rank p) {
  auto rule = [p](std::int64_t, Step& step) {
    for (Rank r = 0; r < p; ++r) step.reduce_in_network({0, p}, r, {r});
  };
  return {p, p, p == 1 ? 0 : 1, rule};
}

Schedule switch_allgather(Rank p) {
  auto rule = [p](std::int64_t, Step& step) {
    for (Rank r = 0; r < p; ++r) step.multicast(r, {0, p}, {r});
  };
  return {p, p, p == 1 ? 0 : 1, rule};
}

const Algorithm allreduce_nvls{
    .collective = Collective::allreduce,
    .name = "nvls",
    .description = "each rank takes the sum of its share, reduced in the switch, and multicasts it",
    .formula = "2(p-1) (a + n/p b)",
    .source = "NCCL 2.17 (NVLink SHARP); formula counted from the schedule",
    .schedule = [](const Call& c) { return then(switch_reduce_scatter(c.ranks), switch_allgather(c.ranks)); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return 2 * (c.ranks - 1.0) * (m.alpha + c.message / c.ranks * m.beta);
        },
};

}  // namespace collcast
