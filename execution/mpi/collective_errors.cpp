// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/collective_errors.hpp"

#include "execution/mpi/check.hpp"

namespace collcast::mpi {

std::string first_text(const std::string& mine, MPI_Comm comm) {
  int rank = 0, ranks = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  int first = mine.empty() ? ranks : rank;
  check(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == ranks) return {};
  char told[512] = {};
  mine.copy(told, sizeof told - 1);
  check(MPI_Bcast(told, sizeof told, MPI_CHAR, first, comm), "MPI_Bcast");
  return told;
}

void throw_on_all(const std::string& mine, MPI_Comm comm) {
  const std::string words = first_text(mine, comm);
  if (!words.empty()) throw InputError(words);
}

}  // namespace collcast::mpi
