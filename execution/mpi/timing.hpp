// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "execution/mpi/communicator.hpp"
#include "execution/mpi/repetitions.hpp"

namespace collcast::mpi {

/// A clock that all ranks of a communicator share: the kernel's if they run under one kernel (in any
/// namespaces), else each rank's own clock, with an offset to rank 0's from the fastest of some ping-pongs.
/// Construction is collective.
class SharedClock {
 public:
  explicit SharedClock(const Communicator& communicator);
  /// The shared time [s].
  double now() const;
  /// Returns at `time` or soon after. A rank with a processor of its own spins at the end; others sleep, so
  /// that none delays another.
  void wait_until(double time) const;
  /// Whether some kernel runs more ranks than it has processors.
  bool crowded() const { return crowded_; }

 private:
  double ask_rank_0(const Communicator& communicator) const;
  void answer(const Communicator& communicator) const;
  double offset_ = 0;
  bool crowded_ = false;
};

/// Times `play` after two warm-up plays (one if a play takes longer than 0.3 s). Ranks begin at an instant
/// agreed beforehand, so that no barrier's exit is part of the measurement. A repetition that a rank began
/// late is repeated, with more time in advance if the rank learned of the instant late. Ranks that share
/// processors begin around the instant, none much later. Collective; all ranks get the same times.
Times measure(const std::function<void()>& play, const Effort& effort, const Communicator& communicator,
              const SharedClock& clock);

inline Times measure(const std::function<void()>& play, int repetitions, const Communicator& communicator,
                     const SharedClock& clock) {
  return measure(play, Effort{repetitions, repetitions}, communicator, clock);
}

}  // namespace collcast::mpi
