// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <stdexcept>
#include <utility>

namespace collcast {

/// Thrown when the user has stopped long work.
struct Interrupted : std::runtime_error {
  Interrupted() : runtime_error("interrupted") {}
};

/// While this object lives, long work of this thread throws Interrupted once the flag is true. A null flag
/// never interrupts.
class InterruptedBy {
 public:
  explicit InterruptedBy(const std::atomic<bool>* flag) : outer_(std::exchange(flag_, flag)) {}
  ~InterruptedBy() { flag_ = outer_; }
  InterruptedBy(const InterruptedBy&) = delete;
  InterruptedBy& operator=(const InterruptedBy&) = delete;

  /// This thread's flag, to pass on to a thread that works for this one.
  static const std::atomic<bool>* flag() { return flag_; }

 private:
  inline static thread_local const std::atomic<bool>* flag_ = nullptr;
  const std::atomic<bool>* outer_;
};

/// Whether this thread's work should stop. Long work calls it often, as it costs next to nothing.
inline bool interrupted() {
  const std::atomic<bool>* flag = InterruptedBy::flag();
  return flag && flag->load(std::memory_order_relaxed);
}
inline void end_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace collcast
