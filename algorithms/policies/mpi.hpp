// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/policies/policy.hpp"

namespace collcast {

/// The switch points of MPICH 3.3 (src/mpi/coll, *_intra_auto) with its node-aware collectives off.
Pick mpich_pick(Collective collective, const Call& call, const Situation& situation);

/// The `mpich` selector of SimGrid's SMPI (smpi_mpich_selector.cpp) for ranks that are alone on their hosts:
/// where they are not, it goes through one leader per host in allreduce, reduce and broadcast.
Pick smpi_mpich_pick(Collective collective, const Call& call, const Situation& situation);

/// The fixed rules of Open MPI 4.1's tuned component (coll_tuned_decision_fixed.c), commutative operations.
Pick openmpi_pick(Collective collective, const Call& call, const Situation& situation);

}  // namespace collcast
