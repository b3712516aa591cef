// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/count.hpp"

#include <limits>

#include "support/error.hpp"

namespace collcast::mpi {

int mpi_count(std::size_t elements, const std::string& what) {
  constexpr int most = std::numeric_limits<int>::max();
  if (elements > std::size_t{most})
    throw InputError(what + " of " + std::to_string(elements) + " elements does not fit into an MPI count, " +
                     std::to_string(most) + " at most");
  return static_cast<int>(elements);
}

}  // namespace collcast::mpi
