// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/nccl/nccl.hpp"
#include "libraries/nccl/tables.hpp"
#include "platforms/description/blueprint.hpp"

namespace collcast::nccl {

/// How a protocol's kernel moves a message. NVIDIA/nccl 2.8: src/include/devcomm.h,
/// src/collectives/device/*.h.
struct Kernel {
  int threads;            ///< threads of a channel
  double bytes_a_thread;  ///< payload in one iteration of the kernel's loop
  double least_bytes;     ///< of the message per thread; with fewer, NCCL takes fewer channels and threads
  double step_KiB;        ///< payload in one of a connection's eight slots
  double bytes_on_wire;   ///< per byte of payload: LL sends a flag with each 4 bytes, LL128 with each 120
  double least_chunk;     ///< least chunk of a ring, in units of what `threads` move in one iteration
  double messages;        ///< messages of a proxy per chunk of a ring
};
const Kernel& kernel(Protocol protocol, Gpu gpu);

/// The most that the threads of a channel move, however fast the links are [GB/s]. NCCL's limit is for a
/// channel of its search; it makes two channels of each. `channels`: how many the kernel has.
double channel_limit(int minor, Shape shape, Protocol protocol, Collective collective, const Situation& s,
                     int channels = 1);

/// What a channel of RCCL's LL moves if it shares no links with others: half as much as a link [GB/s].
double rccl_ll_alone(Gpu gpu);

/// A channel's share of what the links of a node carry in NCCL's account, which counts what kernels reach on
/// NVLinks [GB/s]. `channels`: how many share the links.
double share_of_links(int minor, const Situation& s, int channels);

/// A way of a tree, up or down: shares of a channel's threads, and of what it moves.
struct Way {
  double threads = 1, rate = 1;
};

/// How a channel of a tree takes data up and down: at once, or first up, then down (runTreeSplit and
/// runTreeUpDown of NVIDIA/nccl, src/collectives/device/all_reduce.h). `threads`: of the channel.
struct Ways {
  bool at_once = false;
  Way up = {}, down = {};
};
Ways ways(int minor, Protocol protocol, Gpu gpu, int threads);

/// The threads of a tree's channel, if a ring's has so many.
int tree_threads(int minor, Protocol protocol, Gpu gpu, int threads);

/// How much longer LL's steps in a node take if there are other nodes.
double ll_slowdown(int minor, const Situation& s);

/// The times of NCCL's software other than for moving bytes, by protocol [us].
struct Software {
  PerProtocol ring_launch, tree_launch;  ///< of a kernel with one channel
  PerProtocol channel;                   ///< added to the launch by each further channel
  PerProtocol ring_step, tree_step;      ///< from a GPU to another in its node
  PerProtocol ring_hop, tree_hop;        ///< from a GPU to one in another node, through both proxies
  PerProtocol proxy;  ///< how long a message of a ring keeps the proxy of a network card busy
};

/// The latencies of NCCL's tuner. What keeps a proxy busy, the cost of a channel, and the costs of A100
/// before 2.18, are not among NCCL's constants and come from measurements (docs/transports.md).
Software published_software(int minor, const Situation& s);

/// The software's times on a platform: the platform's own where it has them, else the published ones times
/// `factor`, which spans the uncertainty of constants from other machines.
Software software_on(const Blueprint& platform, int minor, const Situation& s, double factor = 1);

}  // namespace collcast::nccl
