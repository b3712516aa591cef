// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace collcast::trace {

/// What an operation asks of a replay.
enum class OpClass : std::uint8_t {
  control,
  send,
  receive,
  exchange,
  probe,
  completion,
  collective,
  communicator
};

/// Every operation a trace can hold: X(identifier, C name without "MPI_", class). The order is the file
/// format.
#define COLLCAST_TRACE_OPS(X)                                               \
  X(init, "Init", control)                                                  \
  X(finalize, "Finalize", control)                                          \
  X(send, "Send", send)                                                     \
  X(ssend, "Ssend", send)                                                   \
  X(rsend, "Rsend", send)                                                   \
  X(bsend, "Bsend", send)                                                   \
  X(recv, "Recv", receive)                                                  \
  X(sendrecv, "Sendrecv", exchange)                                         \
  X(sendrecv_replace, "Sendrecv_replace", exchange)                         \
  X(probe, "Probe", probe)                                                  \
  X(iprobe, "Iprobe", probe)                                                \
  X(wait, "Wait", completion)                                               \
  X(waitall, "Waitall", completion)                                         \
  X(waitany, "Waitany", completion)                                         \
  X(waitsome, "Waitsome", completion)                                       \
  X(test, "Test", completion)                                               \
  X(testall, "Testall", completion)                                         \
  X(testany, "Testany", completion)                                         \
  X(testsome, "Testsome", completion)                                       \
  X(request_free, "Request_free", completion)                               \
  X(cancel, "Cancel", completion)                                           \
  X(barrier, "Barrier", collective)                                         \
  X(bcast, "Bcast", collective)                                             \
  X(reduce, "Reduce", collective)                                           \
  X(allreduce, "Allreduce", collective)                                     \
  X(reduce_scatter, "Reduce_scatter", collective)                           \
  X(reduce_scatter_block, "Reduce_scatter_block", collective)               \
  X(scan, "Scan", collective)                                               \
  X(exscan, "Exscan", collective)                                           \
  X(gather, "Gather", collective)                                           \
  X(gatherv, "Gatherv", collective)                                         \
  X(scatter, "Scatter", collective)                                         \
  X(scatterv, "Scatterv", collective)                                       \
  X(allgather, "Allgather", collective)                                     \
  X(allgatherv, "Allgatherv", collective)                                   \
  X(alltoall, "Alltoall", collective)                                       \
  X(alltoallv, "Alltoallv", collective)                                     \
  X(alltoallw, "Alltoallw", collective)                                     \
  X(comm_dup, "Comm_dup", communicator)                                     \
  X(comm_dup_with_info, "Comm_dup_with_info", communicator)                 \
  X(comm_split, "Comm_split", communicator)                                 \
  X(comm_split_type, "Comm_split_type", communicator)                       \
  X(comm_create, "Comm_create", communicator)                               \
  X(comm_create_group, "Comm_create_group", communicator)                   \
  X(cart_create, "Cart_create", communicator)                               \
  X(cart_sub, "Cart_sub", communicator)                                     \
  X(graph_create, "Graph_create", communicator)                             \
  X(dist_graph_create, "Dist_graph_create", communicator)                   \
  X(dist_graph_create_adjacent, "Dist_graph_create_adjacent", communicator) \
  X(intercomm_merge, "Intercomm_merge", communicator)                       \
  X(comm_free, "Comm_free", communicator)

/// An MPI operation; the non-blocking form is the same operation with a request.
enum class Op : std::uint8_t {
#define COLLCAST_OP(id, name, kind) id,
  COLLCAST_TRACE_OPS(COLLCAST_OP)
#undef COLLCAST_OP
};

#define COLLCAST_OP(id, name, kind) +1  // NOLINT(bugprone-macro-parentheses): a term of the sum below
inline constexpr int op_count = COLLCAST_TRACE_OPS(COLLCAST_OP);
#undef COLLCAST_OP

/// "allreduce": the identifier, as interfaces spell it.
const char* short_name(Op op);

/// "MPI_Allreduce", or "MPI_Iallreduce" for the non-blocking form.
std::string mpi_name(Op op, bool nonblocking = false);

OpClass class_of(Op op);

/// The predefined reductions; `user` is an operation that the application made.
enum class Reduction : std::uint8_t {
  none,
  sum,
  prod,
  max,
  min,
  land,
  band,
  lor,
  bor,
  lxor,
  bxor,
  maxloc,
  minloc,
  replace,
  no_op,
  user
};
inline constexpr int reduction_count = 16;

/// "sum".
const char* name(Reduction reduction);

}  // namespace collcast::trace
