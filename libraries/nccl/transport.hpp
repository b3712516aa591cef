// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/nccl/kernel.hpp"

namespace collcast::nccl {

/// Values of Play::limited_by: channels that are slower than links and network cards; these; waiting, not
/// bytes.
constexpr const char *gpu_channels = "channels of the GPU", *node_links = "links in the node",
                     *network_cards = "network proxies and cards", *by_latency = "latency";

/// How many times as long as through a network card a message between nodes takes because others share the
/// network's links with it: at most, and in the mean.
struct Squeeze {
  double most = 1, mean = 1;
};

/// How NCCL plays a call.
struct Play {
  int channels = 1;
  int threads = 0;         ///< of a channel
  Bytes chunk;             ///< bytes that a channel sends at once; with LL and LL128, a proxy's message
  double loops = 1;        ///< rounds over the message
  Bytes turn = {};         ///< bytes of a turn, for trees and chains that pass chunks on turn by turn; else 0
  bool at_once = false;    ///< a tree's data go down while others go up
  Seconds time;            ///< of one call among many back to back, as nccl-tests measures it
  Seconds launch;          ///< the part of `time` for launching the kernel
  std::string limited_by;  ///< what limits the rest
};

/// The channels that NCCL gives a call: small messages get fewer than `Policy::all_channels`.
int channels(const Policy& policy, const Call& call, const Situation& s, Shape shape, Protocol protocol);

/// The time of a ring or a tree, from the work of NCCL's kernels and proxies:
/// docs/decisions/0011-nccl-transport.md. Throws InputError for other candidates.
Play play(const Policy& policy, Collective collective, const Call& call, const Situation& s,
          const Candidate& candidate, const Software& software, const Squeeze& squeeze = {});

}  // namespace collcast::nccl
