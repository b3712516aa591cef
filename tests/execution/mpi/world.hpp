// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "execution/mpi/communicator.hpp"

namespace collcast::mpi {

/// One duplicate of MPI_COMM_WORLD that all tests' players share.
const std::shared_ptr<Communicator>& world();

}  // namespace collcast::mpi
