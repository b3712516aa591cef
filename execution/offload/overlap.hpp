// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "execution/mpi/timing.hpp"
#include "model/overlap.hpp"

namespace collcast::mpi {

/// Measures an overlap: medians of `repetitions`, each from a common start to the end of the slowest rank.
/// Ranks compute by letting time pass without MPI calls, asleep if they share processors. Collective over the
/// ranks.
Overlap measure_overlap(const std::function<void()>& start, const std::function<void()>& wait,
                        int repetitions, const Communicator& ranks, const SharedClock& clock);

}  // namespace collcast::mpi
