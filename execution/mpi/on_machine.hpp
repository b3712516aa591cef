// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace collcast::mpi {

/// A rank's index among the ranks of its machine, and their number.
struct OnMachine {
  int rank = 0, ranks = 1;
};
/// The place of this rank on its machine. Collective.
OnMachine on_machine(MPI_Comm comm);

}  // namespace collcast::mpi
