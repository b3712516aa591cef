// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/nccl/nccl.hpp"
#include "libraries/nccl/tables.hpp"
#include "platforms/description/blueprint.hpp"

namespace collcast::nccl {

/// What a channel's threads do with a message. NVIDIA/nccl 2.8: src/include/devcomm.h,
/// src/collectives/device/*.h.
struct Kernel {
  int threads;            ///< of a channel
  double bytes_a_thread;  ///< of payload in one turn of the kernel's loop
  double least_bytes;     ///< of the message for each thread, before threads and channels are added
  double step_KiB;        ///< of payload, in one of the eight slots of a connection
  double bytes_on_wire;   ///< for a byte of payload: LL sends a flag with each 4 bytes, LL128 with each 120
  double least_chunk;     ///< of a ring: what `threads` take in one turn, times this
  double messages;        ///< of a proxy, for each chunk of a ring
};
const Kernel& kernel(Protocol protocol);

/// What a channel's threads move however fast the links are [GB/s]: half of NCCL's limit for the pair that a
/// channel of its search becomes.
double channel_limit(int minor, Shape shape, Protocol protocol, Collective collective, const Situation& s);

/// What NCCL's software takes besides moving bytes, by protocol [us].
struct Software {
  PerProtocol ring_launch, tree_launch;  ///< of a kernel on one channel
  PerProtocol channel;                   ///< each further channel adds this to the launch
  PerProtocol ring_step, tree_step;      ///< from a GPU to the next in its node
  PerProtocol ring_hop, tree_hop;        ///< from a GPU to one in another node, through both proxies
  PerProtocol proxy;                     ///< a message of a ring keeps a network card's proxy busy for this
};

/// NCCL's own constants: its tuner's latencies; a proxy is busy as long as a hop of a ring takes (of LL128,
/// in Simple). What a channel costs is not among them, nor what A100 take before 2.18: both are of
/// measurements.
Software published_software(int minor, const Situation& s);

/// These times `factor`, as constants from other machines are as good as guesses, and in their place what the
/// platform says of them.
Software software_on(const Blueprint& platform, int minor, const Situation& s, double factor = 1);

}  // namespace collcast::nccl
