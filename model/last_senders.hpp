// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "model/schedule.hpp"

namespace collcast {

/// Who sent each rank its last message, in the order of a schedule (Wire::other_sender).
class LastSenders {
 public:
  explicit LastSenders(std::size_t ranks) : last_(ranks, nobody) {}

  /// Notes a message; true if the receiver's last one came from another sender.
  bool change(const Transfer& t) {
    if (t.from.rank == t.to.rank) return false;
    const Rank before = std::exchange(last_[static_cast<std::size_t>(t.to.rank)], t.from.rank);
    return before != nobody && before != t.from.rank;
  }

 private:
  static constexpr Rank nobody = -1;
  std::vector<Rank> last_;  ///< by receiver
};

}  // namespace collcast
