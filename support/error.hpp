// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace collcast {

/// Bad input: says in one line what is wrong, where, and what would be accepted. The program exits with 2.
struct InputError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// A substrate failed: MPI, SimGrid, CUDA, the file system. The program exits with 3.
struct SubstrateError : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace collcast
