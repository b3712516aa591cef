// SPDX-License-Identifier: Apache-2.0
#include "execution/offload/overlap.hpp"

namespace collcast::mpi {

Overlap measure_overlap(const std::function<void()>& start, const std::function<void()>& wait,
                        int repetitions, const Communicator& ranks, const SharedClock& clock) {
  Overlap o;
  const auto compute = [&] { clock.wait_until(clock.now() + o.pure_s); };
  const auto median = [&](const std::function<void()>& play) {
    return measure(play, repetitions, ranks, clock).median();
  };
  o.pure_s = median([&] { start(), wait(); });
  o.compute_s = median(compute);
  o.total_s = median([&] { start(), compute(), wait(); });
  return o;
}

}  // namespace collcast::mpi
