// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

/// Fortran entries of the calls with arrays of requests or statuses, with indices, or with other arguments
/// than in C.
namespace collcast::recorder::fortran {

void init(MPI_Fint* error);
void init_thread(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error);
void startall(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* error);
void waitall(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* statuses, MPI_Fint* error);
void waitany(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* status, MPI_Fint* error);
void waitsome(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* done, MPI_Fint* indices, MPI_Fint* statuses,
              MPI_Fint* error);
void testall(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* flag, MPI_Fint* statuses, MPI_Fint* error);
void testany(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* flag, MPI_Fint* status,
             MPI_Fint* error);
void testsome(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* done, MPI_Fint* indices, MPI_Fint* statuses,
              MPI_Fint* error);

}  // namespace collcast::recorder::fortran
