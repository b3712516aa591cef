// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "execution/mpi/communicator.hpp"

namespace collcast::mpi {

/// A result that is not the MPI library's.
struct WrongResult : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Does `run` with MPI on ranks of one version; the program's exit code, as everywhere in collcast. Wrong
/// results (1) and bad input (2) are the same on all ranks, and rank 0 tells. Other failures (3) may be one
/// rank's alone: it ends them all.
int guarded_main(const std::string& program, int& argc, char**& argv,
                 const std::function<void(const std::shared_ptr<Communicator>&)>& run);

}  // namespace collcast::mpi
