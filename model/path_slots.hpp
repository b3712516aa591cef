// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/network.hpp"
#include "model/schedule.hpp"

namespace collcast {

/// Where a PathState keeps what is of a rank, of a processor and of a queue.
class PathSlots {
 public:
  template <AnyNetwork Network>
  PathSlots(const Schedule& schedule, const Network& network)
      : ranks_(static_cast<std::size_t>(schedule.ranks)), nowhere_(network.queues()) {
    if constexpr (requires { network.processor(0); }) {
      for (Rank r = 0; r < schedule.ranks; ++r) processors_.push_back(network.processor(r));
      if (std::ranges::is_sorted(processors_, std::less_equal())) processors_.clear();  // 0, 1, 2, ...
    }
  }

  std::size_t ranks() const { return ranks_; }
  /// Whether each rank has its own processor, which pays for its messages.
  bool own_processors() const { return processors_.empty(); }

  /// In `ready`, of a rank's channel.
  std::size_t rank(std::uint16_t channel, Rank r) const {
    return channel * ranks_ + static_cast<std::size_t>(r);
  }
  /// In `posted`, `taken` and `latest`: of the processor that pays for the messages of rank r. `own`: the
  /// slot of the rank.
  std::size_t processor(std::size_t own, Rank r, std::uint16_t channel) const {
    return processors_.empty() ? own : rank(channel, processors_[static_cast<std::size_t>(r)]);
  }
  /// In `reducing`, `reduced` and `paid`: of the processor of rank r.
  std::size_t processor(Rank r) const { return processor(rank(0, r), r, 0); }
  /// In `free`, of a wire's queue; the last one stands for Wire::nowhere, where nobody waits.
  std::size_t queue(Port lane, Port port) const {
    if (lane == Wire::as_port) return port;
    return lane == Wire::nowhere ? nowhere_ : lane;
  }

 private:
  std::size_t ranks_, nowhere_;
  std::vector<Rank> processors_;  ///< by rank; empty: each has its own
};

}  // namespace collcast
