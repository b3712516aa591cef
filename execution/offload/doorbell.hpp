// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace collcast::mpi {

/// A counter in memory that processes share. A process that waits for another one spins on it briefly, then
/// sleeps.
class Doorbell {
 public:
  Doorbell() = default;
  std::uint32_t value() const { return value_.load(std::memory_order_acquire); }
  void set(std::uint32_t value);
  void ring();
  /// Returns once the value differs from `seen`.
  void wait(std::uint32_t seen) const;
  /// Returns once the value differs from `seen`, or after `seconds`.
  void wait(std::uint32_t seen, double seconds) const;

 private:
  std::atomic<std::uint32_t> value_{0};
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
};

}  // namespace collcast::mpi
