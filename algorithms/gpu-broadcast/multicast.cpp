// SPDX-License-Identifier: Apache-2.0
#include "algorithms/gpu-broadcast/multicast.hpp"

#include <algorithm>
#include <cmath>

namespace collcast {
Block packets(Bytes bytes, const Call& c) {
  return std::max<Block>(1, std::llround(std::ceil(bytes / c.packet)));
}
namespace {

Block packets_per_chunk(const Call& c) {
  return packets(c.message / static_cast<double>(c.segments), c);
}

/// In step i the root copies chunk i to its host memory, and multicasts chunk i - 1 from there.
Schedule streaming(const Call& c) {
  const Block per_chunk = packets_per_chunk(c), chunks = c.segments;
  auto rule = [=, root = c.root, p = c.ranks](std::int64_t s, Step& step) {
    const Place device = {root, Memory::device}, host = {root, Memory::host};
    if (s < chunks) step.send(device, host, {s * per_chunk, per_chunk});
    for (Block i = (s - 1) * per_chunk; s > 0 && i < s * per_chunk; ++i) step.multicast(host, {0, p}, {i});
  };
  return {c.ranks, chunks * per_chunk, c.ranks == 1 ? 0 : chunks + 1, rule};
}

}  // namespace

const Algorithm broadcast_multicast_packets{
    .collective = Collective::broadcast,
    .name = "multicast-packets",
    .description = "the root multicasts its device memory packet by packet",
    .packet = true,
    .formula = "ceil(n/U) a + n b, U = packet (nothing on one rank)",
    .source = "Venkatesh et al., HiPC 2014; Chu et al., ICPP 2017",
    .schedule =
        [](const Call& c) {
          auto rule = [root = c.root, p = c.ranks](std::int64_t s, Step& step) {
            step.multicast(root, {0, p}, {s});
          };
          const Block count = packets(c.message, c);
          return Schedule{c.ranks, count, c.ranks == 1 ? 0 : count, rule};
        },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          return static_cast<double>(packets(c.message, c)) * m.alpha + c.message * m.beta;
        },
};

const Algorithm broadcast_multicast_streaming{
    .collective = Collective::broadcast,
    .name = "multicast-streaming",
    .description =
        "chunk by chunk the root copies its message to host memory and multicasts it from there, packet by "
        "packet, straight into the devices",
    .segmented = true,
    .packet = true,
    .formula = "K ceil(n/(K U)) a + n b, U = packet, and the first copy (nothing on one rank)",
    .source = "Chu et al., ICPP 2017",
    .schedule = streaming,
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          if (c.ranks == 1) return Seconds{};
          return static_cast<double>(c.segments * packets_per_chunk(c)) * m.alpha + c.message * m.beta;
        },
};

}  // namespace collcast
