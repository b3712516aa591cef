// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include "replay/recorder/session.hpp"
#include "replay/trace/event.hpp"

/// One function per argument list of MPI: fills an event from the arguments. False if a replay cannot play
/// the call.
namespace collcast::recorder::fill {

using trace::Event;

int peer(int rank);
int tag(int tag);

bool send(Session&, Event&, const void*, int count, MPI_Datatype, int dest, int tag, MPI_Comm);
bool recv(Session&, Event&, void*, int count, MPI_Datatype, int source, int tag, MPI_Comm);
bool sendrecv(Session&, Event&, const void*, int scount, MPI_Datatype stype, int dest, int stag, void*,
              int rcount, MPI_Datatype rtype, int source, int rtag, MPI_Comm);
bool sendrecv_replace(Session&, Event&, void*, int count, MPI_Datatype, int dest, int stag, int source,
                      int rtag, MPI_Comm);

bool barrier(Session&, Event&, MPI_Comm);
bool bcast(Session&, Event&, void*, int count, MPI_Datatype, int root, MPI_Comm);
bool reduce(Session&, Event&, const void* from, void*, int count, MPI_Datatype, MPI_Op, int root, MPI_Comm);
bool allreduce(Session&, Event&, const void* from, void*, int count, MPI_Datatype, MPI_Op, MPI_Comm);
bool reduce_scatter(Session&, Event&, const void* from, void*, const int counts[], MPI_Datatype, MPI_Op,
                    MPI_Comm);
bool reduce_scatter_block(Session&, Event&, const void* from, void*, int count, MPI_Datatype, MPI_Op,
                          MPI_Comm);
bool gather(Session&, Event&, const void* from, int scount, MPI_Datatype stype, void*, int rcount,
            MPI_Datatype rtype, int root, MPI_Comm);
bool gatherv(Session&, Event&, const void* from, int scount, MPI_Datatype stype, void*, const int rcounts[],
             const int displs[], MPI_Datatype rtype, int root, MPI_Comm);
bool scatter(Session&, Event&, const void*, int scount, MPI_Datatype stype, void* to, int rcount,
             MPI_Datatype rtype, int root, MPI_Comm);
bool scatterv(Session&, Event&, const void*, const int scounts[], const int displs[], MPI_Datatype stype,
              void* to, int rcount, MPI_Datatype rtype, int root, MPI_Comm);
bool alltoall(Session&, Event&, const void* from, int scount, MPI_Datatype stype, void*, int rcount,
              MPI_Datatype rtype, MPI_Comm);
bool allgatherv(Session&, Event&, const void* from, int scount, MPI_Datatype stype, void*,
                const int rcounts[], const int displs[], MPI_Datatype rtype, MPI_Comm);
bool alltoallv(Session&, Event&, const void* from, const int scounts[], const int sdispls[],
               MPI_Datatype stype, void*, const int rcounts[], const int rdispls[], MPI_Datatype rtype,
               MPI_Comm);
bool alltoallw(Session&, Event&, const void* from, const int scounts[], const int sdispls[],
               const MPI_Datatype stypes[], void*, const int rcounts[], const int rdispls[],
               const MPI_Datatype rtypes[], MPI_Comm);

}  // namespace collcast::recorder::fill
