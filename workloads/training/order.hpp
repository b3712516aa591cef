// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "workloads/training/framework.hpp"

namespace collcast::workloads {

/// One pass of a micro-batch through one chunk of a stage's layers.
struct Pass {
  int micro, chunk;
  bool backward;
  bool mirrored = false;  ///< the replica goes through the stages from the last to the first
};

/// The order in which a stage of a pipeline does its passes: GPipe's, with the last micro-batch first on the
/// way back; or one forward, one backward, interleaved if the framework says so (Megatron-LM schedules.py);
/// or replica after replica, every second one mirrored (GEMS). Without a pipeline, micro-batches follow each
/// other.
std::vector<Pass> order(const Framework& framework, int stage);

}  // namespace collcast::workloads
