// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace collcast::mpi {

/// How often this program has called operator new.
std::size_t allocations();

}  // namespace collcast::mpi
