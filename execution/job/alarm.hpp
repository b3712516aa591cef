// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace collcast::mpi {

/// A timer that wakes the thread that made it from any sleep within MPI, so that the thread can look at the
/// clock. It uses a real-time signal that does nothing else.
class Alarm {
 public:
  Alarm();
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// Wakes the thread in `seconds`, and repeatedly soon after in case it was not asleep yet. 0: never.
  void set(double seconds);

 private:
  timer_t timer_{};
};

}  // namespace collcast::mpi
