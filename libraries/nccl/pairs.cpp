// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/pairs.hpp"

#include <algorithm>
#include <bit>

#include "libraries/nccl/ring_search.hpp"

namespace collcast::nccl {
namespace {

constexpr int first_with_ll = 14;
constexpr Bytes longest_in_ll(16384);  // NCCL_P2P_LL_THRESHOLD
constexpr int without_nvlink = 2;
constexpr Bytes chunk_of_channel(131072);  // NCCL_P2P_NET_CHUNKSIZE

int power_of_two(int n) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)));
}

/// The channels between rank 0 and the farthest rank of its node.
int channels_of_a_pair(const Policy& policy, const Situation& s, const Machine& links) {
  if (s.nodes > 1 || s.link != NodeLink::nvlink) return without_nvlink;
  const double nvlink = nccl_speeds(policy.release, s.gpu).nvlink * 1e9;
  int fewest = most_channels;
  for (Rank r = 1; r < links.ranks() && links.node(r) == links.node(0); ++r) {
    const double bandwidth = (1.0 / links.wire({0}, {r}, Bytes(0)).per_byte).value;
    fewest = std::min(fewest, 2 * std::max(1, static_cast<int>(bandwidth / nvlink)));
  }
  return fewest;
}

}  // namespace

Carriers carriers_of_pairs(const Policy& policy, const Situation& s, const Machine& links, Rank peers) {
  const int all = std::min(most_channels, power_of_two(policy.all_channels(s)));
  const int of_a_pair = std::min(all, power_of_two(channels_of_a_pair(policy, s, links)));
  const bool nvlink = s.nodes == 1 && s.link == NodeLink::nvlink;
  const auto channels = static_cast<int>(std::min<std::int64_t>(all, std::int64_t{of_a_pair} * peers));
  return {channels, nvlink ? s.channels * s.intra_bandwidth : BytesPerSecond(),
          static_cast<double>(channels) * chunk_of_channel};
}

Schedule alltoall_in_turns(Rank ranks, const std::vector<std::vector<Rank>>& nodes) {
  std::size_t places = 0;
  for (const auto& node : nodes) places = std::max(places, node.size());
  auto rule = [=](std::int64_t, Step& step) {
    for (std::size_t away = 0; away < nodes.size(); ++away)
      for (std::size_t beside = 0; beside < places; ++beside)
        for (std::size_t n = 0; n < nodes.size(); ++n)
          for (std::size_t place = 0; place < nodes[n].size(); ++place) {
            const std::vector<Rank>& other = nodes[(n + away) % nodes.size()];
            const std::size_t there = (place + beside) % places;
            if (there >= other.size() || other[there] == nodes[n][place]) continue;
            const Rank from = nodes[n][place], to = other[there];
            step.send(from, to, {Block{from} * ranks + to});
          }
  };
  return {ranks, Block{ranks} * ranks, 1, rule};
}

Protocol pair_protocol(const Policy& policy, Bytes of_a_pair) {
  if (policy.proto) return *policy.proto;
  return policy.release >= first_with_ll && of_a_pair <= longest_in_ll ? Protocol::ll : Protocol::simple;
}

}  // namespace collcast::nccl
