// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include "execution/mpi/block_locations.hpp"

namespace collcast::mpi {

/// Makes the call with the MPI library's own collective (MPI_Allgatherv and the like only if ranks' shares
/// differ), or with point-to-point calls if MPI has no such collective. `blocks`: the schedule's. Buffers are
/// as for mpi::Player.
void reference(const Part& part, const Elements& elements, Block blocks, const void* send, void* recv,
               MPI_Datatype type, MPI_Op op, MPI_Comm communicator);

}  // namespace collcast::mpi
