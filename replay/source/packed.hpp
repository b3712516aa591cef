// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "replay/source/activity.hpp"

namespace collcast {

/// Activities in order, each as what differs from the last one of its kind: about a twentieth of the memory.
class PackedActivities {
 public:
  void add(const Activity& activity);
  bool empty() const { return pieces_.empty(); }

  /// Reads activities in order. What is read has to outlive it.
  class Reader {
   public:
    explicit Reader(const PackedActivities& packed) : packed_(packed) {}
    /// The next one, which lasts until the one after it; null at the end.
    const Activity* next();

   private:
    const PackedActivities& packed_;
    std::size_t piece_ = 0, at_ = 0;
    std::vector<Activity> last_;  ///< of each kind; made when it is first used
  };

 private:
  std::vector<std::vector<std::byte>> pieces_;
  std::vector<std::shared_ptr<const void>> shared_;  ///< what activities point at
  std::vector<Activity> last_;                       ///< of each kind
};

}  // namespace collcast
