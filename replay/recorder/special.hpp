// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

/// The calls for which it is not enough to describe the arguments: those with statuses or requests, and those
/// that begin and end the recording.
namespace collcast::recorder::special {

int init(int* argc, char*** argv);
int init_thread(int* argc, char*** argv, int required, int* provided);
int finalize();
int abort(MPI_Comm comm, int code);

int recv(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status);
int sendrecv(const void* from, int scount, MPI_Datatype stype, int dest, int stag, void* to, int rcount,
             MPI_Datatype rtype, int source, int rtag, MPI_Comm comm, MPI_Status* status);
int sendrecv_replace(void* data, int count, MPI_Datatype type, int dest, int stag, int source, int rtag,
                     MPI_Comm comm, MPI_Status* status);
int probe(int source, int tag, MPI_Comm comm, MPI_Status* status);
int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);
int mrecv(void* to, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status);
int imrecv(void* to, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request);

int start(MPI_Request* request);
int startall(int count, MPI_Request requests[]);
int wait(MPI_Request* request, MPI_Status* status);
int waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int waitany(int count, MPI_Request requests[], int* index, MPI_Status* status);
int waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]);
int test(MPI_Request* request, int* flag, MPI_Status* status);
int testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]);
int testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status);
int testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]);
int request_get_status(MPI_Request request, int* flag, MPI_Status* status);
int request_free(MPI_Request* request);
int cancel(MPI_Request* request);

int comm_idup(MPI_Comm parent, MPI_Comm* made, MPI_Request* request);
int comm_free(MPI_Comm* comm);
int comm_disconnect(MPI_Comm* comm);
int intercomm_merge(MPI_Comm between, int high, MPI_Comm* made);

}  // namespace collcast::recorder::special
