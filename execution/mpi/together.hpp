// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <string>

#include "support/error.hpp"

namespace collcast::mpi {

/// What the first rank that has something to say says, on all ranks; empty if none has. Collective.
std::string first_words(const std::string& mine, MPI_Comm comm);

/// Throws InputError with the first words, if there are any.
void refuse_together(const std::string& words, MPI_Comm comm);

/// Does on every rank what may refuse its input on some, and refuses it on all.
template <class Attempt>
void together(MPI_Comm comm, Attempt attempt) {
  std::string refusal;
  try {
    attempt();
  } catch (const InputError& e) {
    refusal = e.what();
  }
  refuse_together(refusal, comm);
}

}  // namespace collcast::mpi
