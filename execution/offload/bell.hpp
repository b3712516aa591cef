// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace collcast::mpi {

/// A counter in memory that processes share, by which one waits for another: it looks for a moment, then
/// sleeps.
class Bell {
 public:
  Bell() = default;
  std::uint32_t value() const { return value_.load(std::memory_order_acquire); }
  void set(std::uint32_t value);
  void ring();
  /// Returns once the value is another than `seen`.
  void wait(std::uint32_t seen) const;
  /// The same, or once so many seconds are over.
  void wait(std::uint32_t seen, double seconds) const;

 private:
  std::atomic<std::uint32_t> value_{0};
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
};

}  // namespace collcast::mpi
