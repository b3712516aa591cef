/* SPDX-License-Identifier: Apache-2.0 */
/* Steps whose messages are under way while the world reduces, where a window begins and ends: receives posted
   before and waited for after it, from a rank or (`edges any`) from anyone, messages that were sent before
   and are received after it, a barrier that begins before and ends after it. */
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, out = 1, in, early, sum;
  const int any = argc > 1 && strcmp(argv[1], "any") == 0;
  MPI_Request requests[3];
  MPI_Comm apart;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &apart);
  const int other = 1 - rank;
  for (int step = 0; step < 8; ++step) {
    MPI_Irecv(&in, 1, MPI_INT, any ? MPI_ANY_SOURCE : other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Ibarrier(apart, &requests[2]);
    MPI_Send(&out, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
    MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Recv(&early, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&apart);
  MPI_Finalize();
  return 0;
}
