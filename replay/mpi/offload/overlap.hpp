// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>

#include "replay/mpi/timing.hpp"

namespace collcast::mpi {

/// How much of a collective a computation hides, in the terms of OSU's benchmarks: the collective alone, a
/// computation that is as long, and both at once.
struct Overlap {
  double pure_s = 0, compute_s = 0, total_s = 0;
  /// 100: nothing of the collective shows. 0: all of it does.
  double percent() const {
    return pure_s > 0 ? std::clamp(100 * (1 - (total_s - compute_s) / pure_s), 0.0, 100.0) : 0;
  }
};

/// Medians of `repetitions` each, from a common start to the slowest rank's end. Ranks compute by letting
/// time pass without a call of MPI (asleep where ranks share processors). Collective over the ranks.
Overlap measure_overlap(const std::function<void()>& start, const std::function<void()>& wait,
                        int repetitions, const Communicator& ranks, const SharedClock& clock);

}  // namespace collcast::mpi
