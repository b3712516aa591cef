// SPDX-License-Identifier: Apache-2.0
#include "tests/execution/mpi/wire.hpp"

#include <mpi.h>

namespace {

void count(int elements, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  ++collcast::mpi::wire().messages;
  collcast::mpi::wire().bytes += std::int64_t{elements} * size;
}

}  // namespace

collcast::mpi::Wire& collcast::mpi::wire() {
  static Wire sent;
  return sent;
}

extern "C" int MPI_Send(const void* buffer, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count(elements, type);
  return PMPI_Send(buffer, elements, type, to, tag, comm);
}

extern "C" int MPI_Isend(const void* buffer, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  count(elements, type);
  return PMPI_Isend(buffer, elements, type, to, tag, comm, request);
}
