// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace collcast::mpi {

/// Throws InputError unless the operation may reduce elements of the type: it is commutative, and MPI gives a
/// predefined one a meaning on the type (MPI 3.1, 5.9.2 and 5.9.4). Operations of the user take any type.
void require_meaning(MPI_Op op, MPI_Datatype type);

}  // namespace collcast::mpi
