/* SPDX-License-Identifier: Apache-2.0 */
/* Two ranks of two threads: one sends to the other rank, synchronously, while the other one receives.
   Whichever call ends first, in one order per rank some message would wait for itself. Exits with 77 where
   the MPI library has no MPI_THREAD_MULTIPLE. */
#include <mpi.h>
#include <pthread.h>

enum { rounds = 50 };
static int other;

static void* receive(void* nothing) {
  int value;
  for (int i = 0; i < rounds; ++i) MPI_Recv(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return nothing;
}

int main(int argc, char** argv) {
  int provided, rank, one = 1, sum;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    return 77;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  for (int times = 0; times < 2;
       ++times) { /* the second thread is another one, with the number of the first */
    pthread_create(&thread, NULL, receive, NULL);
    for (int i = 0; i < rounds; ++i) MPI_Ssend(&one, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
