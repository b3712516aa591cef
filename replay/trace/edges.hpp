// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "replay/trace/event.hpp"
#include "support/loss.hpp"

namespace collcast::trace {

/// A set of whole numbers that mostly follow each other.
class Ranges {
 public:
  void add(std::int64_t number);
  bool contains(std::int64_t number) const;
  /// How many of its numbers the other set lacks.
  std::int64_t absent_from(const Ranges& other) const;

 private:
  std::map<std::int64_t, std::int64_t> ends_;  ///< end (exclusive) of each range, by its begin
};

/// The edges of a window of a run: messages, known by their numbers, that one rank has in the window and the
/// other one has not. All events go first to `count`, then to `cut`.
class Edges {
 public:
  /// `me`: the rank's place in the event's communicator.
  void count(const Event& event, int me);
  /// Replaces a peer that has the message outside the window by MPI_PROC_NULL, and drops the numbers.
  void cut(Event& event, int me) const;
  /// The messages that were cut.
  std::vector<Loss> losses() const;

 private:
  /// A communicator, a sender, a receiver and a tag.
  using Channel = std::tuple<CommId, int, int, int>;
  struct Ends {
    Ranges sent, received;  ///< numbers of messages
  };

  std::map<Channel, Ends> channels_;
};

}  // namespace collcast::trace
