// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace collcast::mpi {

/// A number of elements as the int that MPI takes. Throws InputError, which begins with `what`, if it has no
/// room.
int mpi_count(std::size_t elements, const std::string& what);

}  // namespace collcast::mpi
