// SPDX-License-Identifier: Apache-2.0
#include "tests/replay/mpi/allocations.hpp"

#include <cstdlib>
#include <new>

static std::size_t counted = 0;

std::size_t collcast::mpi::allocations() {
  return counted;
}

void* operator new(std::size_t size) {
  ++counted;
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
