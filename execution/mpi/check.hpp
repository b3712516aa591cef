// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace collcast::mpi {

/// Throws SubstrateError with the MPI library's own message.
[[noreturn]] void fail(int status, const char* call);

/// Every MPI call goes through here: `check(MPI_Wait(...), "MPI_Wait")`.
inline void check(int status, const char* call) {
  if (status != MPI_SUCCESS) [[unlikely]]
    fail(status, call);
}

}  // namespace collcast::mpi
