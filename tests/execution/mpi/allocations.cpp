// SPDX-License-Identifier: Apache-2.0
#include "tests/execution/mpi/allocations.hpp"

#include <cstdlib>
#include <new>

static std::size_t counted = 0;

std::size_t collcast::mpi::allocations() {
  return counted;
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++counted;
  return std::malloc(size ? size : 1);
}
void* operator new(std::size_t size) {
  if (void* p = operator new(size, std::nothrow)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
