// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "execution/mpi/communicator.hpp"

namespace collcast::mpi {

/// The MPI library: "Open MPI v4.1.4".
std::string library();

/// "collcast 0.1.0, Open MPI v4.1.4", which must be the same on all ranks of a job.
std::string version();

/// Throws InputError on all ranks if a rank's version differs from rank 0's; the error names the first such
/// rank. Collective.
void require_same_version(const Communicator& communicator, const std::string& mine = version());

}  // namespace collcast::mpi
