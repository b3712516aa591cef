// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace collcast::python {

/// While it lives in the main thread, Ctrl-C ends what that thread computes; Python then does what it does at
/// an interrupt. In other threads, and where Python ignores Ctrl-C, nothing.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Whether it was interrupted and Python raises something of that: its exception is set then.
  bool ended();

 private:
  bool outermost_ = false;
};

/// Becomes true at an interrupt of this thread's call; none in other threads.
const std::atomic<bool>* interrupt();

}  // namespace collcast::python
