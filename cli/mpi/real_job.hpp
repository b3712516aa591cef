// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "execution/mpi/communicator.hpp"

namespace collcast::mpi {

/// `collcast-mpi job FILE ...`: plays a described job on all ranks of `world`, and prints how long it took.
/// Throws InputError and WrongResult.
void real_job(int argc, char** argv, const std::shared_ptr<Communicator>& world);

}  // namespace collcast::mpi
