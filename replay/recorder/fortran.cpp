// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/fortran.hpp"

#include <vector>

#include "replay/recorder/fortran_special.hpp"
#include "replay/recorder/special.hpp"

// Open MPI's common blocks behind the Fortran constants; absent from other libraries.
extern "C" {
extern char mpi_fortran_bottom_ __attribute__((weak));
extern char mpi_fortran_in_place_ __attribute__((weak));
extern char mpi_fortran_unweighted_ __attribute__((weak));
extern char mpi_fortran_weights_empty_ __attribute__((weak));
}

namespace collcast::recorder::fortran {

void* buffer(void* argument) {
  if (argument == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return argument == &mpi_fortran_in_place_ ? MPI_IN_PLACE : argument;
}

const int* integers(const void* argument) {
  if (argument == &mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
  return argument == &mpi_fortran_weights_empty_ ? MPI_WEIGHTS_EMPTY : static_cast<const int*>(argument);
}

bool ignores_status(const void* argument) {
  return argument == MPI_F_STATUS_IGNORE || argument == MPI_F_STATUSES_IGNORE;
}

namespace {

/// A Fortran array of requests as C handles. The destructor writes them back.
class RequestArray {
 public:
  RequestArray(const MPI_Fint* count, MPI_Fint* handles) : fortran_(handles) {
    for (int i = 0; i < *count; ++i) handles_.push_back(PMPI_Request_f2c(handles[i]));
  }
  ~RequestArray() {
    for (std::size_t i = 0; i < handles_.size(); ++i) fortran_[i] = PMPI_Request_c2f(handles_[i]);
  }
  RequestArray(const RequestArray&) = delete;
  MPI_Request* data() { return handles_.data(); }

 private:
  MPI_Fint* fortran_;
  std::vector<MPI_Request> handles_;
};

/// A Fortran array of statuses. The destructor copies back what C wrote.
class StatusArray {
 public:
  StatusArray(const MPI_Fint* count, MPI_Fint* statuses)
      : fortran_(ignores_status(statuses) ? nullptr : statuses),
        statuses_(static_cast<std::size_t>(*count)) {}
  ~StatusArray() {
    for (std::size_t i = 0; fortran_ && i < statuses_.size(); ++i)
      PMPI_Status_c2f(&statuses_[i], fortran_ + i * (sizeof(MPI_Status) / sizeof(MPI_Fint)));
  }
  StatusArray(const StatusArray&) = delete;
  MPI_Status* data() { return fortran_ ? statuses_.data() : MPI_STATUSES_IGNORE; }

 private:
  MPI_Fint* fortran_;
  std::vector<MPI_Status> statuses_;
};

void set(MPI_Fint* error, int status) {
  if (error) *error = status;
}

/// Converts indices: C counts from 0, Fortran from 1.
void to_one_based(MPI_Fint* indices, int count) {
  for (int i = 0; i < count; ++i)
    if (indices[i] != MPI_UNDEFINED) ++indices[i];
}

}  // namespace

void init(MPI_Fint* error) {
  set(error, special::init(nullptr, nullptr));
}

void init_thread(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  set(error, special::init_thread(nullptr, nullptr, *required, provided));
}

void startall(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* error) {
  RequestArray handles(count, requests);
  set(error, special::startall(*count, handles.data()));
}

void waitall(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* statuses, MPI_Fint* error) {
  RequestArray handles(count, requests);
  StatusArray results(count, statuses);
  set(error, special::waitall(*count, handles.data(), results.data()));
}

void waitany(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* status, MPI_Fint* error) {
  RequestArray handles(count, requests);
  set(error, special::waitany(*count, handles.data(), index, Argument<MPI_Status*>(status)));
  to_one_based(index, 1);
}

void waitsome(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* done, MPI_Fint* indices, MPI_Fint* statuses,
              MPI_Fint* error) {
  RequestArray handles(count, requests);
  StatusArray results(count, statuses);
  set(error, special::waitsome(*count, handles.data(), done, indices, results.data()));
  if (*done != MPI_UNDEFINED) to_one_based(indices, *done);
}

void testall(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* flag, MPI_Fint* statuses, MPI_Fint* error) {
  RequestArray handles(count, requests);
  StatusArray results(count, statuses);
  set(error, special::testall(*count, handles.data(), flag, results.data()));
}

void testany(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* flag, MPI_Fint* status,
             MPI_Fint* error) {
  RequestArray handles(count, requests);
  set(error, special::testany(*count, handles.data(), index, flag, Argument<MPI_Status*>(status)));
  if (*flag) to_one_based(index, 1);
}

void testsome(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* done, MPI_Fint* indices, MPI_Fint* statuses,
              MPI_Fint* error) {
  RequestArray handles(count, requests);
  StatusArray results(count, statuses);
  set(error, special::testsome(*count, handles.data(), done, indices, results.data()));
  if (*done != MPI_UNDEFINED) to_one_based(indices, *done);
}

}  // namespace collcast::recorder::fortran
