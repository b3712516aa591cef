// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/nccl/nccl.hpp"
#include "libraries/nccl/tables.hpp"
#include "platforms/description/blueprint.hpp"

namespace collcast::nccl {

/// How a protocol's kernel moves a message. NVIDIA/nccl 2.8: src/include/devcomm.h,
/// src/collectives/device/*.h.
struct Kernel {
  int threads;            ///< of a channel
  double bytes_a_thread;  ///< payload in one iteration of the kernel's loop
  double least_bytes;     ///< of the message per thread; with fewer, NCCL takes fewer channels and threads
  double step_KiB;        ///< payload in one of a connection's eight slots
  double bytes_on_wire;   ///< per byte of payload: LL sends a flag with each 4 bytes, LL128 with each 120
  double least_chunk;     ///< of a ring, in units of what `threads` move in one iteration
  double messages;        ///< of a proxy per chunk of a ring
};
const Kernel& kernel(Protocol protocol, Gpu gpu);

/// The most that a channel's threads move, however fast the links [GB/s]. NCCL's limit is for a channel of
/// its search, which becomes two. `channels`: how many the kernel has.
double channel_limit(int minor, Shape shape, Protocol protocol, Collective collective, const Situation& s,
                     int channels = 1);

/// What a channel of RCCL's LL moves where it shares no links with others: half of a link's worth [GB/s].
double rccl_ll_alone(Gpu gpu);

/// A channel's part of what a node's links carry by NCCL's account, which knows what kernels reach on NVLinks
/// [GB/s]. `channels`: all that share it.
double share_of_links(int minor, const Situation& s, int channels);

/// Of a tree's threads in LL128, the part that brings data up; the rest brings other data down meanwhile.
constexpr double threads_up = .7;

/// The time of NCCL's software besides moving bytes, by protocol [us].
struct Software {
  PerProtocol ring_launch, tree_launch;  ///< of a kernel with one channel
  PerProtocol channel;                   ///< added to the launch by each further channel
  PerProtocol ring_step, tree_step;      ///< from a GPU to another in its node
  PerProtocol ring_hop, tree_hop;        ///< from a GPU to one in another node, through both proxies
  PerProtocol proxy;                     ///< for which a message of a ring keeps a network card's proxy busy
};

/// The latencies of NCCL's tuner. What keeps a proxy busy, the cost of a channel, and the costs of A100
/// before 2.18, are not among NCCL's constants and come from measurements (docs/transports.md).
Software published_software(int minor, const Situation& s);

/// The software's times on a platform: its own where it gives them, else the published ones times `factor`,
/// which spans the uncertainty of constants from other machines.
Software software_on(const Blueprint& platform, int minor, const Situation& s, double factor = 1);

}  // namespace collcast::nccl
