// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/nccl/nccl.hpp"
#include "libraries/nccl/tables.hpp"

namespace collcast::nccl {

/// What NCCL's software takes besides moving bytes, by protocol [us].
struct Software {
  PerProtocol ring_launch, tree_launch;  ///< of a kernel on one channel
  PerProtocol channel;                   ///< each further channel adds this to the launch
  PerProtocol ring_step, tree_step;      ///< from a GPU to the next in its node
  PerProtocol ring_hop, tree_hop;        ///< from a GPU to one in another node, through both proxies
  PerProtocol proxy;                     ///< a message of a ring keeps a network card's proxy busy for this
};

/// NCCL's own constants: its tuner's latencies; a proxy is busy as long as a hop of a ring takes (of LL128,
/// in Simple), and channels launch for nothing, as there is no constant for them.
Software published_software(int minor, const Situation& s);

/// How a call is played.
struct Play {
  int channels = 1;
  int threads = 0;   ///< of a channel that move data
  Bytes chunk;       ///< that a channel sends at once; what a proxy sends in one message, but in Simple
  double loops = 1;  ///< over the message
  Seconds time;      ///< of one call among many that follow each other, as nccl-tests has it
  std::string limited_by;
};

/// The time of the candidate, a tree or a ring, by what NCCL's kernels and proxies do with it: see
/// docs/decisions/0011-nccl-transport.md. Throws InputError for others.
Play play(const Policy& policy, Collective collective, const Call& call, const Situation& s,
          const Candidate& candidate, const Software& software);

}  // namespace collcast::nccl
