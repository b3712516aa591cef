// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/check.hpp"

#include <string>

#include "support/error.hpp"

namespace collcast::mpi {

void fail(int status, const char* call) {
  char words[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(status, words, &length);
  throw SubstrateError(std::string(call) + " failed: " + words);
}

}  // namespace collcast::mpi
