// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "replay/mpi/communicator.hpp"

namespace collcast::mpi {

/// A clock that all ranks of a communicator read alike: the machine's where they share one, else each rank's
/// own, moved by what the fastest of some ping-pongs with rank 0 says. Making one is collective.
class SharedClock {
 public:
  explicit SharedClock(const Communicator& communicator);
  /// Seconds.
  double now() const;

 private:
  double ask_rank_0(const Communicator& communicator) const;
  void answer(const Communicator& communicator) const;
  double offset_ = 0;
};

/// What a number of repetitions took: each from the common start to when the slowest rank was done.
struct Times {
  std::vector<double> seconds;  ///< sorted
  int late = 0;  ///< repetitions that some rank began late, and that no punctual one could replace
  double median() const;
};

/// Times `play` `repetitions` times. Ranks begin at an instant agreed beforehand, so that no barrier's exit
/// is measured with it; a repetition that a rank began late is done again, with more time to get ready.
/// Collective; all ranks get the same answer.
Times measure(const std::function<void()>& play, int repetitions, const Communicator& communicator,
              const SharedClock& clock);

}  // namespace collcast::mpi
