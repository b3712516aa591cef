// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <utility>

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
auto meanwhile(int ranks, Work work) {
  constexpr int many = 1000;
  return std::async(ranks < many ? std::launch::deferred : std::launch::async,
                    also_interrupted(std::move(work)));
}

/// Does some pieces of work, `work(i)`, begun in this order, on two threads where so many ranks pay for it.
template <class Work>
void on_both(int ranks, std::size_t pieces, Work work) {
  std::atomic<std::size_t> next{0};
  const auto some = [&] {
    for (std::size_t i = next++; i < pieces; i = next++) work(i);
  };
  auto others = meanwhile(ranks, some);
  some();
  others.get();
}

}  // namespace collcast
