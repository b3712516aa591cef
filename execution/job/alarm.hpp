// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace collcast::mpi {

/// Wakes the thread that made it from whatever wait of MPI it sleeps in, so that it looks at the clock: a
/// signal of real time that does nothing else.
class Alarm {
 public:
  Alarm();
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// In so many seconds, and again and again soon after, in case the thread was not asleep yet. 0: never.
  void set(double seconds);

 private:
  timer_t timer_{};
};

}  // namespace collcast::mpi
