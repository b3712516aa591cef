// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace collcast::mpi {

/// Throws InputError unless the operation can reduce elements of the type. It has to be commutative; a
/// predefined one has to be defined for the type (MPI 3.1, 5.9.2 and 5.9.4). User-defined operations take any
/// type.
void require_meaning(MPI_Op op, MPI_Datatype type);

}  // namespace collcast::mpi
