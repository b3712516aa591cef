// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <utility>

#include "support/interrupt.hpp"

namespace collcast {

/// The work, to be given to another thread: what interrupts this thread interrupts it too.
template <class Work>
auto also_interrupted(Work work) {
  return [work = std::move(work), flag = InterruptedBy::flag()] {
    const InterruptedBy same(flag);
    return work();
  };
}

/// Does the work on another thread. With fewer than 1000 ranks a thread does not pay: the work is then done
/// when its result is asked for.
template <class Work>
auto meanwhile(int ranks, Work work) {
  constexpr int many = 1000;
  return std::async(ranks < many ? std::launch::deferred : std::launch::async,
                    also_interrupted(std::move(work)));
}

/// Does `work(i)` for each i below `pieces`, begun in this order. With 1000 ranks or more, two threads share
/// the pieces.
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
