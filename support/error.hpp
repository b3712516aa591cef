// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace collcast {

/// Bad input: says in one line what is wrong, where, and what would be accepted. The program exits with 2.
struct InputError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// A substrate failed: MPI, SimGrid, CUDA, the file system. The program exits with 3.
struct SubstrateError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Whether the exception means that something did not fit into memory.
inline bool lacks_memory(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const std::length_error*>(&error);
}

/// An exception's message for users: what(), or a sentence of our own if memory ran out.
inline std::string words_of(const std::exception& error) {
  return lacks_memory(error) ? "there is not enough memory for this" : error.what();
}

}  // namespace collcast
