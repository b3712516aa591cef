// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace collcast::mpi {

/// A counter in memory shared by processes, on which one waits for another: it spins briefly, then sleeps.
class Doorbell {
 public:
  Doorbell() = default;
  std::uint32_t value() const { return value_.load(std::memory_order_acquire); }
  void set(std::uint32_t value);
  void ring();
  /// Returns once the value differs from `seen`.
  void wait(std::uint32_t seen) const;
  /// The same, or after `seconds`.
  void wait(std::uint32_t seen, double seconds) const;

 private:
  std::atomic<std::uint32_t> value_{0};
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
};

}  // namespace collcast::mpi
