// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace collcast::mpi {

/// What this rank has sent through MPI since the last reset, seen between the program and the library.
struct Wire {
  std::int64_t messages = 0, bytes = 0;
};
Wire& wire();

}  // namespace collcast::mpi
