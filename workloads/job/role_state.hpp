// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <map>
#include <vector>

#include "support/index.hpp"
#include "workloads/job/coordinator.hpp"
#include "workloads/job/job.hpp"

namespace collcast::workloads {

constexpr Seconds never = Seconds(std::numeric_limits<double>::infinity());

/// What the coordinator has done in a role, and will do next.
struct Rounds {
  std::vector<int> pending;  ///< offers that are in no buffer yet
  int offers = 0, offered = 0, taken = 0, unreduced = 0;
  Seconds wake = never, last;  ///< the next round with something to do, and the one before
  std::map<int, int> carried;  ///< tensors of a buffer, by the buffer's last activity
  struct Round {
    Seconds begin;
    std::vector<int> tensors;
  };
  std::map<int, Round> held;  ///< by the activity of their agreement
  Seconds agreement;          ///< time in rounds
};

/// A role as it is played. The coordinator's activities are appended as they come.
struct RoleState {
  std::vector<JobActivity> activities;
  std::vector<char> announced, done;
  std::vector<Seconds> begun, moving_since;
  std::vector<int> order;                ///< activities in the order in which they are done
  std::vector<std::vector<int>> queue;   ///< activities per stream, in order
  std::vector<std::size_t> next;         ///< next activity in each queue
  int computing = 0, communicating = 0;  ///< tasks under way, without collectives that wait for computation
  int working = 0;                       ///< computing tasks on the first stream
  bool moving = false;                   ///< some communication of the role advances
  std::array<std::array<double, 2>, 2> load = {};  ///< of moving tasks: within and between nodes, out and in
  Seconds communication, hidden, waiting;
  Seconds free_out, free_in;  ///< when the messages under way have left, and have come in
  Rounds rounds;

  int append(const JobActivity& a) {
    const int index = static_cast<int>(activities.size());
    activities.push_back(a);
    announced.push_back(0), done.push_back(0), begun.emplace_back(), moving_since.emplace_back();
    queue[to_index(a.stream)].push_back(index);
    return index;
  }
};

/// Offers an activity's gradient to the coordinator, and sets its next round. Rounds follow each other all
/// the time; those with nothing to do are skipped.
void offer(RoleState& s, int activity, const Coordinator& c, const RoundTime& round, Seconds now);

/// A round of the coordinator: agrees, then sends the buffers. Returns how long it takes to agree.
Seconds begin_round(RoleState& s, const Job& job, const RoundTime& round, Seconds now);

/// The activities in the order in which they ended, so that each follows those in its `after`; without a
/// coordinator, whose rounds are computation.
std::vector<JobActivity> as_ended(const RoleState& s);

}  // namespace collcast::workloads
