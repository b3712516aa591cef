// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "replay/trace/event.hpp"

namespace collcast::trace {

using Communicators = std::vector<std::vector<int>>;

/// The most bytes that a call moves for one rank: more than the memory of any node.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 46;
/// The longest that anything takes: 30 years.
inline constexpr Seconds longest_of_all(1e9);

/// Checks whether one rank's events make sense by themselves. They have to name existing communicators of
/// this rank, ranks of these, existing threads, possible sizes and times, and lists as long as the
/// communicator. The list of communicators has to outlive it.
class EventChecker {
 public:
  EventChecker(const Communicators& communicators, int rank, int threads = 1)
      : communicators_(&communicators), rank_(rank), threads_(threads) {}

  /// What makes no sense in the rank's next event: "rank 3, event 17: MPI_Send names rank 7 of 4"; empty if
  /// everything does.
  std::string complaint(const Event& event);
  /// This rank's place in a communicator; none if it is not a member.
  int place(CommId comm);

 private:
  std::string flaw(const Event& event);

  const Communicators* communicators_;
  int rank_, threads_;
  std::int64_t events_ = 0;
  std::unordered_map<CommId, int> places_;  ///< in the communicators met so far
};

}  // namespace collcast::trace
