// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"
#include "execution/offload/overlap.hpp"
#include "execution/offload/team.hpp"

namespace collcast::mpi {

/// What determines how much of a collective is hidden: the network between the processes that play it, and
/// the cost of handing it to a worker.
struct OverlapModel {
  LogGP network;
  bool workers = false;
  Handoff handoff;
};

/// Measures the model without any collective: messages of one and of `large` bytes between two of the
/// processes that play (any two processes if a single one plays for all), the eager limit, a reduction, and a
/// play that moves nothing. Collective over `world`.
OverlapModel probe_overlap(const Communicator& world, const Team& team, Bytes large,
                           const SharedClock& clock);

/// The overlap by critical path, with a computation as long as the collective alone. Workers make progress
/// during the computation; a rank without one begins the collective, computes, and then goes on.
Overlap predict_overlap(const OverlapModel& model, const Algorithm& algorithm, const Call& call);

}  // namespace collcast::mpi
