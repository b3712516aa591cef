// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/rank_group.hpp"
#include "workloads/job/price.hpp"

namespace collcast::workloads {

/// Horovod's background thread. It wakes in rounds, agrees with the other ranks on the tensors that all have
/// ready, and hands these to a stream in fused buffers. Horovod v0.19.1: operations.cc, controller.cc,
/// response_cache.cc.
struct Coordinator {
  Seconds cycle;         ///< from the start of one round to the next, unless the round takes longer
  Seconds phase = {};    ///< when the first round starts
  Bytes threshold;       ///< of a fused buffer
  int cache = 0;         ///< so many tensors are agreed on by a bit each; if there are more, all by rank 0
  int group = 0;         ///< the job's group that tensors are reduced over
  int stream = 1;        ///< the stream of its buffers
  int groups = 0;        ///< groups of equally many tensors that are reduced together; 0: none
  Seconds request = {};  ///< time of rank 0 per tensor and rank, without the cache
  SecondsPerByte copy = {};    ///< of tensors into a buffer of several, and again out of it
  SecondsPerByte shared = {};  ///< of any buffer, before its collectives and again after them
  /// A collective of a share of the buffer's bytes. Several phases, one after the other, are a hierarchical
  /// allreduce.
  struct Phase {
    Collective collective = Collective::allreduce;
    int group = 0;
    double share = 1;
  };
  std::vector<Phase> phases = {};
};

/// Which tensors go into each buffer, for tensors of these sizes. A buffer takes, in order, the tensors that
/// still fit below the threshold, and skips the others. A tensor above the threshold goes alone.
std::vector<std::vector<int>> fuse(const std::vector<Bytes>& tensors, Bytes threshold);

/// How many of the first `offered` tensors are in complete groups, if `all` tensors form so many groups.
int grouped(int offered, int all, int groups);

/// The time of a round of agreement.
struct RoundTime {
  Seconds empty, per_tensor;
  Seconds with(std::size_t tensors) const { return empty + static_cast<double>(tensors) * per_tensor; }
};

/// The time of a round. With the cache it is an allreduce of a bit per tensor and three more. Without it,
/// lengths and requests are gathered on rank 0, which looks at each and broadcasts the answer. `tensors`: in
/// a step. `time`: which time of a price to take.
RoundTime round_time(const Coordinator& coordinator, const RankGroup& all, int tensors, const PriceOf& price,
                     Seconds Price::*time);

}  // namespace collcast::workloads
