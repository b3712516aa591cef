// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "libraries/nccl/kernel_fabric.hpp"
#include "libraries/nccl/nccl.hpp"
#include "model/schedule.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast::nccl {

/// How ncclSend and ncclRecv go: all pairs of a group in one kernel. NVIDIA/nccl, src/graph/paths.cc
/// (ncclTopoComputeP2pChannels), src/enqueue.cc.

/// What together carries a GPU's messages to `peers` others: two channels for each NVLink between the two
/// farthest apart, two where there is none or between nodes, a power of two, and no more than there are; on
/// one node at the pace that NCCL's search found all links of a GPU to have. `links`: the machine's links
/// alone.
Carriers carriers_of_pairs(const Policy& policy, const Situation& s, const Machine& links, Rank peers);

/// Every rank sends every other its block, in the order in which NCCL starts them: node by node, and to other
/// places of each node in turn, so that no two ranks have the same turn for the same receiver. `nodes`: the
/// ranks of each.
Schedule alltoall_in_turns(Rank ranks, const std::vector<std::vector<Rank>>& nodes);

/// LL for short messages since 2.14, Simple for others.
Protocol pair_protocol(const Policy& policy, Bytes of_a_pair);

}  // namespace collcast::nccl
