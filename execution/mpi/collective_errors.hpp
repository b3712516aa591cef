// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <string>

#include "support/error.hpp"

namespace collcast::mpi {

/// The text of the first rank whose text is not empty, on all ranks; empty if there is none. Collective.
std::string first_text(const std::string& mine, MPI_Comm comm);

/// Throws InputError on all ranks if any rank's `error` is not empty, with the first such error. Collective.
void throw_on_all(const std::string& error, MPI_Comm comm);

/// Calls `attempt`; if it throws InputError on any rank, throws the first such error on all. Collective.
template <class Attempt>
void attempt_on_all(MPI_Comm comm, Attempt attempt) {
  std::string error;
  try {
    attempt();
  } catch (const InputError& e) {
    error = e.what();
  }
  throw_on_all(error, comm);
}

}  // namespace collcast::mpi
