// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace collcast::python {

/// While this object lives in the main thread, Ctrl-C ends what that thread computes, and Python then handles
/// the interrupt as usual. It does nothing in other threads, and where Python ignores Ctrl-C.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Whether Ctrl-C was pressed and Python raises an exception for it, which is then set.
  bool ended();

 private:
  bool outermost_ = false;
};

/// A flag that becomes true when Ctrl-C interrupts this thread's call; null in other threads.
const std::atomic<bool>* interrupt();

}  // namespace collcast::python
