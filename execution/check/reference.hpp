// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include "execution/mpi/whereabouts.hpp"

namespace collcast::mpi {

/// The same call through the MPI library's own collective (MPI_Allgatherv and the like only where ranks'
/// shares differ), or its point-to-point calls where MPI has none. `blocks` are the schedule's; buffers are a
/// Player's.
void reference(const Part& part, const Elements& elements, Block blocks, const void* send, void* recv,
               MPI_Datatype type, MPI_Op op, MPI_Comm communicator);

}  // namespace collcast::mpi
