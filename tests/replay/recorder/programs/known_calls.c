/* SPDX-License-Identifier: Apache-2.0 */
/* Calls whose events the test knows: see record_test.cpp. Meant for 8 ranks. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static int rank, ranks;

static void collectives(void) {
  double one = 1, sum, all[8], many[128] = {0};
  int counts[8], places[8];
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(many, 10, MPI_DOUBLE, 3, MPI_COMM_WORLD);
  MPI_Reduce(&one, &sum, 1, MPI_DOUBLE, MPI_MAX, 2, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Gather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  MPI_Scatter(all, 1, MPI_DOUBLE, &one, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  MPI_Alltoall(many, 2, MPI_DOUBLE, many + 64, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) counts[i] = (rank + i) % 3, places[i] = 3 * i;
  MPI_Alltoallv(many, counts, places, MPI_DOUBLE, many + 64, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) counts[i] = i, places[i] = 4 * i;
  MPI_Gatherv(many, rank, MPI_DOUBLE, many + 64, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatterv(many, counts, places, MPI_DOUBLE, many + 64, rank, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(many, rank, MPI_DOUBLE, many + 64, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) counts[i] = 1;
  MPI_Reduce_scatter(many, all, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(many, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void nonblocking_collectives(void) {
  double one = 1, sum;
  MPI_Request requests[2];
  MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void messages(void) {
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, out[4] = {0}, in[4];
  MPI_Request requests[2];
  MPI_Sendrecv(out, 4, MPI_INT, right, 5, in, 4, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 3, MPI_INT, right, 6, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (rank == 0) MPI_Send(out, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD);
}

static void persistent(void) {
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, out = rank, in;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_INT, right, 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void polling(void) {
  int flag = 0, in = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(&in, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Send(&in, 0, MPI_INT, 1, 11, MPI_COMM_WORLD);
    while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(&in, 0, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&in, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
  }
}

static void communicators(void) {
  MPI_Comm half, copy, grid, row, left_out;
  int dims[2] = {2, 4}, periods[2] = {0, 0}, remain[2] = {0, 1};
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Barrier(half);
  MPI_Comm_dup(half, &copy);
  MPI_Barrier(copy);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, remain, &row);
  MPI_Bcast(dims, 1, MPI_INT, 0, row);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &left_out);
  if (rank != 0) MPI_Barrier(left_out);
  MPI_Comm_free(&copy);
}

static void not_modelled(void) {
  int window = 0;
  MPI_Win win;
  MPI_Win_create(&window, sizeof window, sizeof window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void compute(void) {
  volatile double x = 1;
  const struct timespec asleep = {0, 100000000};
  nanosleep(&asleep, NULL);
  for (clock_t end = clock() + CLOCKS_PER_SEC / 50; clock() < end;) x *= 1.0000001;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  collectives();
  nonblocking_collectives();
  messages();
  persistent();
  polling();
  communicators();
  not_modelled();
  compute();
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
