// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "model/repeats.hpp"

namespace collcast {
namespace {

/// In step i the root copies chunk i to its host memory, and multicasts chunk i - 1 from there.
Schedule streaming(const Call& c) {
  auto rule = [chunks = c.segments, root = c.root, p = c.ranks](std::int64_t s, Step& step) {
    const Place device = {root, Memory::device}, host = {root, Memory::host};
    if (s < chunks) step.send(device, host, {s});
    if (s > 0) step.multicast(host, {0, p}, {s - 1});
  };
  return repeating({c.ranks, c.segments, c.ranks == 1 ? 0 : c.segments + 1, rule}, {{1, c.segments}});
}

}  // namespace

const Algorithm broadcast_multicast_streaming{
    .collective = Collective::broadcast,
    .name = "multicast-streaming",
    .description =
        "chunk by chunk the root copies its message to host memory and multicasts it from there, straight "
        "into the devices",
    .segmented = true,
    .formula = "K a + n b and the first copy (nothing on one rank)",
    .source = "Chu et al., ICPP 2017",
    .schedule = streaming,
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          return static_cast<double>(c.segments) * m.alpha + c.message * m.beta;
        },
};

}  // namespace collcast
