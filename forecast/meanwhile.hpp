// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <utility>

#include "model/schedule.hpp"
#include "support/interrupt.hpp"

namespace collcast {

/// Work for another thread, which ends with that of this one.
template <class Work>
auto also_interrupted(Work work) {
  return [work = std::move(work), flag = InterruptedBy::flag()] {
    const InterruptedBy same(flag);
    return work();
  };
}

/// Has another thread do the work; where so few ranks would not pay for one, it is done once it is asked for.
template <class Work>
auto meanwhile(Rank ranks, Work work) {
  constexpr Rank many = 1000;
  return std::async(ranks < many ? std::launch::deferred : std::launch::async,
                    also_interrupted(std::move(work)));
}

}  // namespace collcast
