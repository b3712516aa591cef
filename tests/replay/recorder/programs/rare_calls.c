/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that applications seldom make: see rare_test.cpp. Meant for 2 ranks; `rare_calls spawn` starts a
 * third. */
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static int rank;

static void large_datatype(void) {
  int nothing = 0;
  MPI_Datatype large;
  MPI_Type_contiguous(1 << 29, MPI_DOUBLE, &large);
  MPI_Type_commit(&large);
  MPI_Send(&nothing, 1, large, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Type_free(&large);
}

/* Frees receives that were cancelled, and one that has its message. */
static void freed_requests(void) {
  int in = 0, done = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  if (rank == 0) MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request);
  if (rank == 0) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Send(&in, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  while (rank == 0 && !done) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Request_free(&request);
}

/* Two communicators with the same members, made in another order on each rank. */
static void crossed_duplicates(void) {
  int value = 0;
  MPI_Comm parents[2], made[2];
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  for (int i = 0; i < 2; ++i) MPI_Comm_idup(parents[i ^ rank], &made[i ^ rank], &requests[i]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 5, made[0]);
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 5, made[0], MPI_STATUS_IGNORE);
  MPI_Barrier(made[1]);
}

static void between_groups(void) {
  int value = 0;
  MPI_Comm between, both;
  MPI_Request request;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 6, &between);
  if (rank == 0) MPI_Send_init(&value, 1, MPI_INT, 0, 7, between, &request);
  if (rank == 1) MPI_Recv_init(&value, 1, MPI_INT, 0, 7, between, &request);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Ibarrier(between, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(between, rank, &both);
  MPI_Barrier(both);
}

static void detached_buffer(void) {
  char buffer[64];
  void* back;
  int size;
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Buffer_detach(&back, &size);
}

/* Computes for 20 ms, then passes a message between the ranks. */
static void* other_thread(void* unused) {
  volatile double x = 1;
  struct timespec now = {0, 0};
  int value = 0;
  while (now.tv_sec == 0 && now.tv_nsec < 20000000) {
    x *= 1.0000001;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  }
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}

static void spawn(const char* program, MPI_Comm parent) {
  int one = 1, sum = 0;
  MPI_Comm between = parent, all;
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                   MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_free(&all);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Comm parent;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL || argc > 1) {
    spawn(argv[0], parent);
  } else {
    large_datatype();
    freed_requests();
    crossed_duplicates();
    between_groups();
    detached_buffer();
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
  }
  MPI_Finalize();
  return 0;
}
