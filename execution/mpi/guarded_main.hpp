// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "execution/mpi/communicator.hpp"

namespace collcast::mpi {

/// A result differs from the MPI library's.
struct WrongResult : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Initialises MPI, requires the same version on all ranks, and calls `run`; returns the program's exit code.
/// Wrong results (1) and bad input (2) are errors of all ranks, and rank 0 reports them. Any other failure
/// (3) may happen on one rank, which aborts all.
int guarded_main(const std::string& program, int& argc, char**& argv,
                 const std::function<void(const std::shared_ptr<Communicator>&)>& run);

}  // namespace collcast::mpi
