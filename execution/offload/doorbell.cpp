// SPDX-License-Identifier: Apache-2.0
#include "execution/offload/doorbell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <limits>

namespace collcast::mpi {
namespace {

void wake_all(const std::atomic<std::uint32_t>& value) {
  syscall(SYS_futex, &value, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace

void Doorbell::set(std::uint32_t value) {
  value_.store(value, std::memory_order_release);
  wake_all(value_);
}

void Doorbell::ring() {
  value_.fetch_add(1, std::memory_order_release);
  wake_all(value_);
}

void Doorbell::wait(std::uint32_t seen) const {
  constexpr int looks = 1000;
  for (int i = 0; value() == seen; ++i)
    if (i >= looks) syscall(SYS_futex, &value_, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

void Doorbell::wait(std::uint32_t seen, double seconds) const {
  if (value() != seen || seconds <= 0) return;
  const auto whole = static_cast<time_t>(seconds);
  const timespec limit{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  syscall(SYS_futex, &value_, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

}  // namespace collcast::mpi
