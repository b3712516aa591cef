// SPDX-License-Identifier: Apache-2.0
#include "execution/job/alarm.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "support/error.hpp"

namespace collcast::mpi {
namespace {

constexpr double again = 200e-6;

timespec of(double seconds) {
  const double whole = std::floor(seconds);
  return {static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
}

}  // namespace

Alarm::Alarm() {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;  // polls are not restarted even so
  sigaction(SIGRTMIN, &action, nullptr);
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0)
    throw SubstrateError("timer_create failed: the kernel has no timer left for this process");
}

Alarm::~Alarm() {
  timer_delete(timer_);
}

void Alarm::set(double seconds) {
  const itimerspec when = seconds == 0 ? itimerspec{} : itimerspec{of(again), of(std::max(seconds, 1e-6))};
  timer_settime(timer_, 0, &when, nullptr);
}

}  // namespace collcast::mpi
