// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/kernel.hpp"

#include <algorithm>

namespace collcast::nccl {
namespace {

constexpr Kernel kernels[] = {
    {512, 8, 8, 32, 2, 1, 1}, {640, 60, 8, 562.5, 128.0 / 120, 0.5, 1}, {512, 8, 64, 512, 1, 1, 2}};

/// The channels of a GPU whose links are all in use: NCCL's limits on one node hold for so many together.
constexpr double channels_of_gpu[] = {4, 6, 12, 16, 16};

/// A further channel has no published cost. Calls of as many bytes a channel on one and on eight channels
/// differ by this for each: allreduce and broadcast of 64 and 128 KiB on four V100 and on four A100, NCCL
/// 2.8.4, aistabci/abci2.0benchmark f0aa27f. Two microseconds are the most that it is thought to take.
constexpr double a_channel_us = 1.05, most_a_channel_us = 2;

void stretch(Software& software, double factor) {
  for (PerProtocol* values : {&software.ring_launch, &software.tree_launch, &software.ring_step,
                              &software.tree_step, &software.ring_hop, &software.tree_hop, &software.proxy})
    for (double& us : *values) us *= factor;
  if (factor > 1) software.channel.fill(most_a_channel_us);
}

}  // namespace

const Kernel& kernel(Protocol protocol) {
  return kernels[static_cast<std::size_t>(protocol)];
}

double channel_limit(int minor, Shape shape, Protocol protocol, Collective collective, const Situation& s) {
  if (protocol == Protocol::ll)
    return most_ll(minor, 1, s.gpu, s.cpu) / channels_of_gpu[static_cast<std::size_t>(s.gpu)] / 2;
  if (protocol == Protocol::simple) return most_tree(std::max(minor, 8), protocol, 1, s.gpu, 1) / 2;
  return most_ll128(minor, shape, collective, 1, s.gpu) / 2;
}

Software published_software(int minor, const Situation& s) {
  const Wire in_node = s.link == NodeLink::nvlink ? Wire::nvlink : Wire::pci;
  const PerProtocol& ring_hop = step_latency(minor, Wire::net, Shape::ring);
  Software software{base_latency(minor, Shape::ring),
                    base_latency(minor, Shape::tree),
                    {a_channel_us, a_channel_us, a_channel_us},
                    step_latency(minor, in_node, Shape::ring),
                    step_latency(minor, in_node, Shape::tree),
                    ring_hop,
                    step_latency(minor, Wire::net, Shape::tree),
                    ring_hop};
  // A tree's latency of Simple contains its chunk; the step alone is that of a ring.
  constexpr auto simple = static_cast<std::size_t>(Protocol::simple);
  constexpr auto ll128 = static_cast<std::size_t>(Protocol::ll128);
  // A ring's latency of Simple contains the GPU's end of it; for the proxy a message is a message.
  software.proxy[simple] = software.proxy[ll128];
  software.tree_step[simple] = software.ring_step[simple];
  software.tree_hop[simple] = software.ring_hop[simple];
  return software;
}

Software software_on(const Blueprint& b, int minor, const Situation& s, double factor) {
  Software software = published_software(minor, s);
  stretch(software, factor);
  for (std::size_t p = 0; p < b.nccl.size(); ++p) {
    const Blueprint::NcclCosts& costs = b.nccl[p];
    if (costs.launch) software.ring_launch[p] = software.tree_launch[p] = costs.launch->value;
    if (costs.channel) software.channel[p] = costs.channel->value;
    if (costs.hop) software.ring_hop[p] = costs.hop->value;
    if (costs.proxy) software.proxy[p] = costs.proxy->value;
  }
  return software;
}

}  // namespace collcast::nccl
