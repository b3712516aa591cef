// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/units.hpp"

namespace collcast {

/// What a reading of a schedule keeps from step to step: O(ranks) times. `Time` is that of its clock.
template <class Time>
struct PathState {
  PathState(std::size_t ranks, std::size_t channels, std::size_t ports, std::size_t queues)
      : ready(ranks * channels),
        free(queues),
        reducing(ranks),
        posted(ready),
        taken(ready),
        latest(ready),
        busy(ports),
        reduced(ranks),
        paid(ranks) {}

  std::vector<Time> ready;       ///< per channel and rank: when all earlier steps are done
  std::vector<Time> free;        ///< per queue: when its port takes the next message
  std::vector<Time> reducing;    ///< per processor: when all reductions so far are done
  std::vector<Time> posted;      ///< per channel and processor: when the overheads of its sends are paid
  std::vector<Time> taken;       ///< per channel and processor: when the overheads of its receives are paid
  std::vector<Time> latest;      ///< per channel and processor: when its last message arrived
  std::vector<Seconds> busy;     ///< per port: how long it was occupied
  std::vector<Seconds> reduced;  ///< per processor: how long it reduced
  std::vector<Seconds> paid;     ///< per processor: how long it paid, if its messages take turns
  Seconds arrived;               ///< when the last message of this step arrived
  bool unqueued = false;         ///< some message did not queue at the port where it arrived

  /// All times that a reading compares, those of the ranks first.
  std::array<std::vector<Time>*, 6> times() { return {&ready, &free, &reducing, &posted, &taken, &latest}; }
  std::array<const std::vector<Time>*, 6> times() const {
    return {&ready, &free, &reducing, &posted, &taken, &latest};
  }
  std::size_t count() const {
    std::size_t all = 0;
    for (const auto* some : times()) all += some->size();
    return all;
  }
  /// Time `number`, counted from 1 through all of `times`.
  const Time& operator[](std::uint32_t number) const {
    std::size_t at = number - 1;
    for (const auto* some : times())
      if (at < some->size())
        return (*some)[at];
      else
        at -= some->size();
    return ready.front();
  }
};

/// A copy whose times are {seconds, number}: its numbers count from 1 through all of `times`.
template <class Time>
void number_times(const PathState<Seconds>& state, PathState<Time>& numbered) {
  std::uint32_t number = 0;
  const auto from = state.times();
  const auto to = numbered.times();
  for (std::size_t i = 0; i < to.size(); ++i)
    for (std::size_t j = 0; j < to[i]->size(); ++j) (*to[i])[j] = {(*from[i])[j], ++number};
  numbered.busy = state.busy, numbered.reduced = state.reduced, numbered.paid = state.paid;
}

}  // namespace collcast
