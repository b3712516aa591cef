// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "libraries/nccl/kernel_fabric.hpp"
#include "libraries/nccl/nccl.hpp"
#include "model/schedule.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast::nccl {

// Grouped ncclSend and ncclRecv: one kernel carries all pairs. NVIDIA/nccl, src/graph/paths.cc
// (ncclTopoComputeP2pChannels), src/enqueue.cc.

/// The channels that carry a GPU's messages to `peers` others. They are two for each NVLink between the GPU
/// of rank 0 and the one farthest from it, two without NVLinks or between nodes; rounded to a power of two,
/// and no more than exist. On one node all together reach the bandwidth that NCCL's search found for the
/// links of a GPU. `links`: the machine with bare links.
Carriers carriers_of_pairs(const Policy& policy, const Situation& s, const Machine& links, Rank peers);

/// An alltoall in the order in which NCCL starts the pairs: node by node, and within each node shifted by the
/// sender's position, so that no two ranks send to one receiver in the same turn. `nodes`: the ranks of each.
Schedule alltoall_in_turns(Rank ranks, const std::vector<std::vector<Rank>>& nodes);

/// The policy's protocol if it names one; otherwise LL for short messages since 2.14, and Simple.
Protocol pair_protocol(const Policy& policy, Bytes of_a_pair);

}  // namespace collcast::nccl
