// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "libraries/nccl/ring_search.hpp"
#include "libraries/nccl/tables.hpp"

namespace collcast::nccl {

// RCCL is AMD's NCCL (ROCm/rccl). Its kernels, proxies and tuner are those of NCCL. Its own are the constants
// of the tuner (src/graph/tuning.cc) and the rings of the nodes that it knows (src/graph/rome_models.cc).

/// What RCCL knows of a node that it recognises by the links between its GPUs.
struct RcclNode {
  int tuning = 0;  ///< the set of the tuner's constants; 0 also for nodes that it does not recognise
  bool ll128 = false;
  Channels rings = {};  ///< with the bandwidth of each; empty: NCCL's search finds the rings
};
/// `reach`: as for find_channels.
RcclNode rccl_node(const Blueprint& blueprint, ChannelReach reach);

/// What a GPU can send over all its links, as RCCL counts it [GB/s].
double rccl_links(const Blueprint& blueprint, Gpu gpu);

/// How many channels RCCL makes of the `found` channels of the search.
int rccl_channels(Gpu gpu, int found);

// The tuner's constants, by Situation::rccl_tuning.

const PerProtocol& rccl_base_latency();  ///< of a launch [us]
const PerProtocol& rccl_step_latency(int tuning, Hardware wire, Shape shape);
/// Whether the set has constants for LL128 at all.
bool rccl_has_ll128(int tuning);
/// The share of the links' bandwidth that all channels reach.
const PerProtocol& rccl_share(int tuning, Rank nodes, Shape shape);
/// The share of that bandwidth which the channels reach with this message size.
double rccl_correction(int minor, int tuning, Rank nodes, Shape shape, Protocol protocol, Bytes message);
/// The protocol that replaces the tuner's choice; empty if the choice stands.
std::optional<Protocol> rccl_protocol(int minor, const Situation& s, Collective collective, const Call& call);

}  // namespace collcast::nccl
