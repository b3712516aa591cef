// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "algorithms/algorithm.hpp"
#include "execution/offload/overlap.hpp"
#include "execution/offload/team.hpp"

namespace collcast::mpi {

/// The overlap of one call; or, on all processes alike, where its result differs from the MPI library's.
struct Trial {
  Overlap overlap;  ///< on ranks
  std::string wrong;
};

/// Played by the ranks, or by the team's workers if it has some. Collective over `world`. Throws InputError
/// unless the algorithm can serve the call.
Trial try_overlap(const Algorithm& algorithm, const Call& call, const Team& team, bool check, int repetitions,
                  const Communicator& world, const SharedClock& clock);

}  // namespace collcast::mpi
