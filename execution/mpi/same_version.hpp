// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "execution/mpi/communicator.hpp"

namespace collcast::mpi {

/// "Open MPI v4.1.4".
std::string library();

/// "collcast 0.1.0, Open MPI v4.1.4": what all ranks of a job must have in common.
std::string version();

/// Throws InputError, on all ranks, that names the first rank whose version is not rank 0's. Collective.
void require_same_version(const Communicator& communicator, const std::string& mine = version());

}  // namespace collcast::mpi
