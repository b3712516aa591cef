// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/on_machine.hpp"

#include "execution/mpi/check.hpp"

namespace collcast::mpi {

OnMachine on_machine(MPI_Comm comm) {
  MPI_Comm machine;
  OnMachine here;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine), "MPI_Comm_split_type");
  check(MPI_Comm_rank(machine, &here.rank), "MPI_Comm_rank");
  check(MPI_Comm_size(machine, &here.ranks), "MPI_Comm_size");
  check(MPI_Comm_free(&machine), "MPI_Comm_free");
  return here;
}

}  // namespace collcast::mpi
