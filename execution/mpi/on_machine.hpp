// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace collcast::mpi {

/// A rank's number among the ranks of its machine.
struct OnMachine {
  int rank = 0, ranks = 1;
};
/// Collective.
OnMachine on_machine(MPI_Comm comm);

}  // namespace collcast::mpi
