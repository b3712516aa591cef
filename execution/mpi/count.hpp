// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace collcast::mpi {

/// A number of elements as the int that MPI takes. Throws InputError that begins with `what` if it is too
/// large.
int mpi_count(std::size_t elements, const std::string& what);

}  // namespace collcast::mpi
