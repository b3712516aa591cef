// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "model/repeats.hpp"

namespace collcast {
namespace {

/// One segment of every rank's share is reduced while the one before it is multicast. The ranks take turns:
/// while all others send to rank r what it takes the sum of, rank r's own port out is free for its multicast.
Schedule nvls(const Call& c) {
  const Block K = c.segments;
  auto rule = [=, p = c.ranks](std::int64_t s, Step& step) {
    for (Rank r = 0; r < p; ++r) {
      if (s < K) step.reduce_in_network({0, p}, r, {r * K + s});
      if (s > 0) step.multicast(r, {0, p}, {r * K + s - 1});
    }
  };
  return repeating({c.ranks, c.ranks * K, c.ranks == 1 ? 0 : K + 1, rule}, {{1, K}});
}

}  // namespace

const Algorithm allreduce_nvls{
    .collective = Collective::allreduce,
    .name = "nvls",
    .description =
        "segment by segment each rank takes the sum of its share, reduced in the switch, and multicasts it "
        "while the next is reduced",
    .segmented = true,
    .formula = "(pK + p-2) (a + n/(pK) b) (nothing on one rank)",
    .source = "NCCL 2.17 (NVLink SHARP); formula counted from the schedule",
    .schedule = nvls,
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          const double messages = static_cast<double>(c.segments) * c.ranks;
          return (messages + c.ranks - 2) * (m.alpha + c.message / messages * m.beta);
        },
};

}  // namespace collcast
