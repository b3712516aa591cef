// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"
#include "execution/offload/overlap.hpp"
#include "execution/offload/team.hpp"

namespace collcast::mpi {

/// What decides how much of a collective is hidden: the network between the processes that play it, and what
/// handing it to a worker costs.
struct OverlapModel {
  LogGP network;
  bool workers = false;
  Handoff handoff;
};

/// Measured before any collective is: messages between two of the processes, each way, of one byte and of
/// `large` bytes; up to which size a message leaves before its receive is there; a reduction; a play in which
/// nothing moves. Collective over `world`.
OverlapModel probe_overlap(const Communicator& world, const Team& team, Bytes large,
                           const SharedClock& clock);

/// The critical path, with a computation as long as the collective alone. Workers bring the collective on
/// meanwhile; a rank without one begins it, and goes on when it has computed.
Overlap predict_overlap(const OverlapModel& model, const Algorithm& algorithm, const Call& call);

}  // namespace collcast::mpi
