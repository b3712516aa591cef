// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace collcast::recorder {

inline std::int64_t read_ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// Wall clock [ns]; read without entering the kernel.
inline std::int64_t wall_ns() {
  return read_ns(CLOCK_MONOTONIC);
}

/// CPU time of the calling thread [ns]: stands still while the thread waits for a core. A system call.
inline std::int64_t cpu_ns() {
  return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace collcast::recorder
