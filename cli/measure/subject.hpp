// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "algorithms/exchange/point/point.hpp"
#include "execution/mpi/player.hpp"
#include "execution/mpi/timing.hpp"
#include "support/json.hpp"

namespace collcast::mpi {

/// A point ready to be played by this rank: its job's player, or the library's collective, with buffers.
/// Collective over the world.
class Subject {
 public:
  /// Throws InputError on all ranks.
  Subject(const Point& point, std::shared_ptr<Communicator> world);

  /// Where the result of some job differs from the MPI library's, the same text on all ranks; empty if
  /// nowhere.
  std::string verify() const;
  /// All jobs start at once; a repetition is over when the last rank of the last job is done.
  Times measure(const Effort& effort, const SharedClock& clock);

 private:
  Point point_;
  std::shared_ptr<Communicator> world_, job_;
  std::unique_ptr<Player> player_;
  std::vector<std::byte> send_, recv_;
  std::function<void()> play_;
};

/// {"time_s", "low_s", "high_s": the interval of the median, "min_s", "max_s", "repetitions", "late_starts"}.
Json summary(const Times& times);

/// The name of each rank's host. Collective.
std::vector<std::string> hosts(const Communicator& world);

}  // namespace collcast::mpi
