// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "execution/mpi/communicator.hpp"
#include "execution/mpi/repetitions.hpp"

namespace collcast::mpi {

/// A clock that all ranks of a communicator read alike: the kernel's where they share one (in whatever
/// namespaces), else each rank's own, moved by what the fastest of some ping-pongs with rank 0 says. Making
/// one is collective.
class SharedClock {
 public:
  explicit SharedClock(const Communicator& communicator);
  /// Seconds.
  double now() const;
  /// Returns at that time or soon after. Ranks that have a processor each spin at the end; the others sleep,
  /// so that none keeps another from being punctual.
  void wait_until(double time) const;
  /// Some kernel runs more of the ranks than it has processors.
  bool crowded() const { return crowded_; }

 private:
  double ask_rank_0(const Communicator& communicator) const;
  void answer(const Communicator& communicator) const;
  double offset_ = 0;
  bool crowded_ = false;
};

/// Times `play`, after two plays that are not counted (one where it takes longer than 0.3 s).
/// Ranks begin at an instant agreed beforehand, so that no barrier's exit is measured with it; a repetition
/// that a rank began late is done again, with more time to get ready where it heard of it late. Ranks that
/// share processors begin around the instant, none much after it. Collective; all ranks get the same answer.
Times measure(const std::function<void()>& play, const Effort& effort, const Communicator& communicator,
              const SharedClock& clock);

inline Times measure(const std::function<void()>& play, int repetitions, const Communicator& communicator,
                     const SharedClock& clock) {
  return measure(play, Effort{repetitions, repetitions}, communicator, clock);
}

}  // namespace collcast::mpi
