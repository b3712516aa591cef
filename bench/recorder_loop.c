/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the wall-clock time per call [ns] of cheap MPI calls that each rank makes with itself, so that what
 * a recorder adds shows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*Body)(void);

static int out = 1, in, flag;

static void iprobe(void) {
  MPI_Iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}
static void allreduce(void) {
  MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}
static void sendrecv(void) {
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void isend_recv_wait(void) {
  MPI_Request request;
  MPI_Isend(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &request);
  MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void irecv_any_send_wait(void) {
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &request);
  MPI_Send(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void measure(const char* name, Body body, int calls, int rounds) {
  for (int i = 0; i < rounds / 10; ++i) body();
  const double begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) body();
  const double ns = (MPI_Wtime() - begin) * 1e9 / rounds / calls;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%s %.1f\n", name, ns);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 200000;
  measure("Iprobe", iprobe, 1, rounds);
  measure("Allreduce", allreduce, 1, rounds);
  measure("Sendrecv", sendrecv, 1, rounds);
  measure("Isend+Recv+Wait", isend_recv_wait, 3, rounds);
  measure("Irecv(any)+Send+Wait", irecv_any_send_wait, 3, rounds);
  MPI_Finalize();
  return 0;
}
