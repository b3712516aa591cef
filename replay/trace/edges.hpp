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
  std::map<std::int64_t, std::int64_t> ends_;  ///< by beginning; the end is not in it
};

/// The edges of a window of a run: messages that one rank has in it and the other one has not, known by their
/// numbers. All events go first to `count`, then to `cut`.
class Edges {
 public:
  /// `me`: the rank's place in the event's communicator.
  void count(const Event& event, int me);
  /// Puts MPI_PROC_NULL in the place of a peer that has the message outside the window, and drops the
  /// numbers.
  void cut(Event& event, int me) const;
  /// What is cut.
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
