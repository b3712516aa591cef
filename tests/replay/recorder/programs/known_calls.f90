! SPDX-License-Identifier: Apache-2.0
! Calls whose events the test knows: see fortran_test.cpp. Built with `use mpi`, and with `use mpi_f08` if F08 is set.
program known_calls
#ifdef F08
  use mpi_f08
  implicit none
  type(MPI_Comm) :: half, graph
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
#define SOURCE(s) s%MPI_SOURCE
#else
  use mpi
  implicit none
  integer :: half, graph
  integer :: requests(2)
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
#define SOURCE(s) s(MPI_SOURCE)
#endif
  integer :: rank, ranks, ierr, left, right, index, window(1)
  integer :: out(4), in(4), from(1), to(1)
  double precision :: one, total
  logical :: flag, weighted

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  one = 1
  out = rank

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Bcast(out, 4, MPI_INTEGER, 2, MPI_COMM_WORLD, ierr)
  if (any(out /= 2)) call MPI_Abort(MPI_COMM_WORLD, 9, ierr)
  call MPI_Allreduce(one, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (total /= ranks) call MPI_Abort(MPI_COMM_WORLD, 10, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (one /= ranks) call MPI_Abort(MPI_COMM_WORLD, 11, ierr)

  out = rank
  call MPI_Sendrecv(out, 4, MPI_INTEGER, right, 5, in, 4, MPI_INTEGER, left, 5, MPI_COMM_WORLD, status, ierr)
  if (any(in /= left) .or. SOURCE(status) /= left) call MPI_Abort(MPI_COMM_WORLD, 12, ierr)

  call MPI_Irecv(in, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(out, 4, MPI_INTEGER, right, 6, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, statuses, ierr)
  if (requests(1) /= MPI_REQUEST_NULL) call MPI_Abort(MPI_COMM_WORLD, 13, ierr)

  call MPI_Irecv(in, 4, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Send(out, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, ierr)
  call MPI_Waitany(1, requests, index, MPI_STATUS_IGNORE, ierr)
  if (index /= 1 .or. in(1) /= left) call MPI_Abort(MPI_COMM_WORLD, 14, ierr)

  call MPI_Isend(out, 1, MPI_INTEGER, right, 8, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Recv(in, 4, MPI_INTEGER, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Iprobe(left, 99, MPI_COMM_WORLD, flag, status, ierr)
  if (flag) call MPI_Abort(MPI_COMM_WORLD, 15, ierr)

  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half, ierr)
  call MPI_Barrier(half, ierr)
  call MPI_Comm_free(half, ierr)

  from(1) = left
  to(1) = right
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                      .false., graph, ierr)
  call MPI_Dist_graph_neighbors_count(graph, out(1), out(2), weighted, ierr)
  if (weighted) call MPI_Abort(MPI_COMM_WORLD, 16, ierr)

  call count_only()
  call MPI_Finalize(ierr)

contains

  subroutine count_only()
#ifdef F08
    type(MPI_Win) :: win
#else
    integer :: win
#endif
    integer(MPI_ADDRESS_KIND) :: bytes
    bytes = 4
    call MPI_Win_create(window, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call MPI_Win_free(win, ierr)
  end subroutine

end program
