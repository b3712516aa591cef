// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/version.hpp"

#include <array>

#include "execution/mpi/check.hpp"
#include "execution/mpi/collective_errors.hpp"

namespace collcast::mpi {
namespace {

std::string here() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::string library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> words{};
  int length = 0;
  check(MPI_Get_library_version(words.data(), &length), "MPI_Get_library_version");
  const std::string all(words.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

std::string version() {
  return "collcast " COLLCAST_VERSION ", " + library();
}

void require_same_version(const Communicator& communicator, const std::string& mine) {
  std::array<char, 200> first{};
  mine.copy(first.data(), first.size() - 1);
  check(MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, communicator.handle()),
        "MPI_Bcast");
  const bool same = mine.substr(0, first.size() - 1) == first.data();
  throw_on_all(same ? ""
                    : "rank " + std::to_string(communicator.rank()) + " on " + here() + " runs " + mine +
                          ", rank 0 " + first.data() + "; all ranks need the same",
               communicator.handle());
}

}  // namespace collcast::mpi
