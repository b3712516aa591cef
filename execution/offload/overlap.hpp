// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "execution/mpi/timing.hpp"
#include "model/overlap.hpp"

namespace collcast::mpi {

/// Medians of `repetitions` each, from a common start to the slowest rank's end. Ranks compute by letting
/// time pass without a call of MPI (asleep where ranks share processors). Collective over the ranks.
Overlap measure_overlap(const std::function<void()>& start, const std::function<void()>& wait,
                        int repetitions, const Communicator& ranks, const SharedClock& clock);

}  // namespace collcast::mpi
