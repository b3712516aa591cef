// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/fill.hpp"

namespace collcast::recorder::fill {
namespace {

int size_of_comm(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

bool is_root(int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

std::int64_t bytes(int count, MPI_Datatype type) {
  return static_cast<std::int64_t>(count) * size_of(type);
}

void scaled(std::vector<std::int64_t>& to, const int counts[], MPI_Comm comm, MPI_Datatype type) {
  const std::int64_t size = size_of(type);
  to.assign(counts, counts + size_of_comm(comm));
  for (auto& count : to) count *= size;
}

void scaled(std::vector<std::int64_t>& to, const int counts[], MPI_Comm comm, const MPI_Datatype types[]) {
  to.assign(counts, counts + size_of_comm(comm));
  for (std::size_t i = 0; i < to.size(); ++i) to[i] *= size_of(types[i]);
}

/// Fills in what this rank contributes; with MPI_IN_PLACE the receive arguments tell it.
void contribution(Event& event, const void* from, int scount, MPI_Datatype stype, int rcount,
                  MPI_Datatype rtype) {
  event.in_place = from == MPI_IN_PLACE;
  event.datatype_bytes = size_of(event.in_place ? rtype : stype);
  event.send_bytes = event.in_place ? bytes(rcount, rtype) : bytes(scount, stype);
}

}  // namespace

int peer(int rank) {
  if (rank == MPI_ANY_SOURCE) return trace::any;
  if (rank == MPI_PROC_NULL) return trace::proc_null;
  return rank == MPI_ROOT ? trace::root_of_group : rank;
}

int tag(int tag) {
  return tag == MPI_ANY_TAG ? trace::any : tag;
}

bool send(Session& session, Event& event, const void*, int count, MPI_Datatype type, int dest, int send_tag,
          MPI_Comm comm) {
  event.dest = peer(dest);
  event.send_tag = tag(send_tag);
  event.datatype_bytes = size_of(type);
  event.send_bytes = bytes(count, type);
  return session.set_communicator(event, comm);
}

bool recv(Session& session, Event& event, void*, int count, MPI_Datatype type, int source, int recv_tag,
          MPI_Comm comm) {
  event.source = peer(source);
  event.recv_tag = tag(recv_tag);
  event.datatype_bytes = size_of(type);
  event.recv_bytes = bytes(count, type);
  return session.set_communicator(event, comm);
}

bool sendrecv(Session& session, Event& event, const void* from, int scount, MPI_Datatype stype, int dest,
              int stag, void* to, int rcount, MPI_Datatype rtype, int source, int rtag, MPI_Comm comm) {
  return recv(session, event, to, rcount, rtype, source, rtag, comm) &&
         send(session, event, from, scount, stype, dest, stag, comm);
}

bool sendrecv_replace(Session& session, Event& event, void* data, int count, MPI_Datatype type, int dest,
                      int stag, int source, int rtag, MPI_Comm comm) {
  return sendrecv(session, event, data, count, type, dest, stag, data, count, type, source, rtag, comm);
}

bool barrier(Session& session, Event& event, MPI_Comm comm) {
  return session.set_communicator(event, comm);
}

bool bcast(Session& session, Event& event, void*, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  event.root = root;
  event.datatype_bytes = size_of(type);
  event.send_bytes = event.recv_bytes = bytes(count, type);
  return session.set_communicator(event, comm);
}

bool allreduce(Session& session, Event& event, const void* from, void*, int count, MPI_Datatype type,
               MPI_Op op, MPI_Comm comm) {
  contribution(event, from, count, type, count, type);
  event.recv_bytes = event.send_bytes;
  event.reduction = reduction_of(op);
  return session.set_communicator(event, comm);
}

bool reduce(Session& session, Event& event, const void* from, void* to, int count, MPI_Datatype type,
            MPI_Op op, int root, MPI_Comm comm) {
  event.root = root;
  if (!allreduce(session, event, from, to, count, type, op, comm)) return false;
  if (!is_root(root, comm)) event.recv_bytes = 0;
  return true;
}

bool reduce_scatter(Session& session, Event& event, const void* from, void*, const int counts[],
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!session.set_communicator(event, comm)) return false;
  event.in_place = from == MPI_IN_PLACE;
  event.datatype_bytes = size_of(type);
  event.reduction = reduction_of(op);
  scaled(event.recv_counts, counts, comm, type);
  for (auto count : event.recv_counts) event.send_bytes += count;
  return true;
}

bool reduce_scatter_block(Session& session, Event& event, const void* from, void*, int count,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  event.in_place = from == MPI_IN_PLACE;
  event.datatype_bytes = size_of(type);
  event.reduction = reduction_of(op);
  event.recv_bytes = bytes(count, type);
  event.send_bytes = event.recv_bytes * size_of_comm(comm);
  return session.set_communicator(event, comm);
}

bool gather(Session& session, Event& event, const void* from, int scount, MPI_Datatype stype, void*,
            int rcount, MPI_Datatype rtype, int root, MPI_Comm comm) {
  event.root = root;
  if (!session.set_communicator(event, comm)) return false;
  contribution(event, from, scount, stype, rcount, rtype);
  if (is_root(root, comm)) event.recv_bytes = bytes(rcount, rtype);
  return true;
}

bool gatherv(Session& session, Event& event, const void* from, int scount, MPI_Datatype stype, void*,
             const int rcounts[], const int[], MPI_Datatype rtype, int root, MPI_Comm comm) {
  event.root = root;
  if (!session.set_communicator(event, comm)) return false;
  const bool at_root = is_root(root, comm);
  contribution(event, from, scount, stype, at_root ? rcounts[root] : 0, rtype);
  if (at_root) scaled(event.recv_counts, rcounts, comm, rtype);
  return true;
}

bool scatter(Session& session, Event& event, const void*, int scount, MPI_Datatype stype, void* to,
             int rcount, MPI_Datatype rtype, int root, MPI_Comm comm) {
  event.root = root;
  if (!session.set_communicator(event, comm)) return false;
  event.in_place = to == MPI_IN_PLACE;
  event.datatype_bytes = size_of(event.in_place ? stype : rtype);
  event.recv_bytes = event.in_place ? bytes(scount, stype) : bytes(rcount, rtype);
  if (is_root(root, comm)) event.send_bytes = bytes(scount, stype);
  return true;
}

bool scatterv(Session& session, Event& event, const void*, const int scounts[], const int[],
              MPI_Datatype stype, void* to, int rcount, MPI_Datatype rtype, int root, MPI_Comm comm) {
  event.root = root;
  if (!session.set_communicator(event, comm)) return false;
  event.in_place = to == MPI_IN_PLACE;
  event.datatype_bytes = size_of(event.in_place ? stype : rtype);
  event.recv_bytes = event.in_place ? bytes(scounts[root], stype) : bytes(rcount, rtype);
  if (is_root(root, comm)) scaled(event.send_counts, scounts, comm, stype);
  return true;
}

bool alltoall(Session& session, Event& event, const void* from, int scount, MPI_Datatype stype, void*,
              int rcount, MPI_Datatype rtype, MPI_Comm comm) {
  contribution(event, from, scount, stype, rcount, rtype);
  event.recv_bytes = bytes(rcount, rtype);
  return session.set_communicator(event, comm);
}

bool allgatherv(Session& session, Event& event, const void* from, int scount, MPI_Datatype stype, void*,
                const int rcounts[], const int[], MPI_Datatype rtype, MPI_Comm comm) {
  if (!session.set_communicator(event, comm)) return false;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  contribution(event, from, scount, stype, rcounts[rank], rtype);
  scaled(event.recv_counts, rcounts, comm, rtype);
  return true;
}

bool alltoallv(Session& session, Event& event, const void* from, const int scounts[], const int[],
               MPI_Datatype stype, void*, const int rcounts[], const int[], MPI_Datatype rtype,
               MPI_Comm comm) {
  if (!session.set_communicator(event, comm)) return false;
  event.in_place = from == MPI_IN_PLACE;
  event.datatype_bytes = size_of(event.in_place ? rtype : stype);
  scaled(event.recv_counts, rcounts, comm, rtype);
  if (event.in_place)
    event.send_counts = event.recv_counts;
  else
    scaled(event.send_counts, scounts, comm, stype);
  return true;
}

bool alltoallw(Session& session, Event& event, const void* from, const int scounts[], const int[],
               const MPI_Datatype stypes[], void*, const int rcounts[], const int[],
               const MPI_Datatype rtypes[], MPI_Comm comm) {
  if (!session.set_communicator(event, comm)) return false;
  event.in_place = from == MPI_IN_PLACE;
  scaled(event.recv_counts, rcounts, comm, rtypes);
  if (event.in_place)
    event.send_counts = event.recv_counts;
  else
    scaled(event.send_counts, scounts, comm, stypes);
  return true;
}

}  // namespace collcast::recorder::fill
