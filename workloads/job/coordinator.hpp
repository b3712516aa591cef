// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/rank_group.hpp"
#include "workloads/job/price.hpp"

namespace collcast::workloads {

/// Horovod's background thread: it wakes in rounds, agrees with the other ranks on which tensors all have
/// ready, and hands them to a stream in fused buffers. Horovod v0.19.1: operations.cc, controller.cc,
/// response_cache.cc.
struct Coordinator {
  Seconds cycle;             ///< from the start of one round to the next, unless the round takes longer
  Seconds phase = {};        ///< of the first round
  Bytes threshold;           ///< of a fused buffer
  int cache = 0;             ///< tensors that a bit agrees on; where there are more, all go through rank 0
  int group = 0;             ///< of the job, that it reduces over
  int stream = 1;            ///< that its buffers go through
  int groups = 0;            ///< of tensors, as many in each: none before its group is offered; 0: each alone
  Seconds request = {};      ///< of rank 0, for one tensor of one rank, where there is no cache
  SecondsPerByte copy = {};  ///< of a buffer of several tensors, in and out each
  SecondsPerByte shared = {};  ///< of any buffer, before and behind its way each
  /// A buffer's way: of `share` of its bytes each. More than one: a hierarchical allreduce.
  struct Phase {
    Collective collective = Collective::allreduce;
    int group = 0;
    double share = 1;
  };
  std::vector<Phase> way = {};
};

/// Tensors of these sizes in the buffers that they are reduced in. Each buffer takes, in order, what fits
/// below the threshold, passing over what does not; one that is larger goes alone.
std::vector<std::vector<int>> fuse(const std::vector<Bytes>& tensors, Bytes threshold);

/// Of `offered` tensors out of `all`, how many make full groups.
int grouped(int offered, int all, int groups);

/// What a round of agreement takes.
struct RoundTime {
  Seconds empty, per_tensor;
  Seconds with(std::size_t tensors) const { return empty + static_cast<double>(tensors) * per_tensor; }
};

/// With the cache one allreduce of a bit per tensor and three more; without, lengths and requests are
/// gathered on rank 0, which looks at each and broadcasts the answer. `tensors`: of a step; `time` of a
/// price.
RoundTime round_time(const Coordinator& coordinator, const RankGroup& all, int tensors, const PriceOf& price,
                     Seconds Price::*time);

}  // namespace collcast::workloads
