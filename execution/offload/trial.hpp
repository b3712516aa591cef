// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "algorithms/algorithm.hpp"
#include "execution/offload/overlap.hpp"
#include "execution/offload/team.hpp"

namespace collcast::mpi {

/// The overlap of one call, or where its result differs from the MPI library's.
struct Trial {
  Overlap overlap;  ///< only on ranks
  std::string wrong;
};

/// Plays the call by the team's workers, or by the ranks if it has none. Collective over `world`. Throws
/// InputError unless the algorithm can serve the call.
Trial try_overlap(const Algorithm& algorithm, const Call& call, const Team& team, bool check, int repetitions,
                  const Communicator& world, const SharedClock& clock);

}  // namespace collcast::mpi
