// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "model/schedule.hpp"

namespace collcast {

/// Steps first to last - 1 repeat with this period: each sends the messages of the step `period` before it,
/// in the same order and as many blocks each, though not the same blocks.
struct Repeat {
  std::int64_t first = 0, last = 0, period = 1;
  constexpr bool operator==(const Repeat&) const = default;
};

/// The schedule with a statement of which steps repeat, in ascending order, so that a reading may skip them.
/// Parts beyond its last step and repeats of less than two periods are left out.
Schedule repeating(Schedule schedule, std::vector<Repeat> repeats);

/// The repeats that the schedule states.
std::span<const Repeat> repeats(const Schedule& schedule);

/// The first step after `s` that does not repeat an earlier one by the schedule's statement.
std::int64_t next_different(const Schedule& schedule, std::int64_t s);

/// What every rank does in a step of a symmetric schedule: it sends and receives one message per round.
struct SymmetricStep {
  std::int64_t messages = 1;  ///< rounds
  Block blocks = 1;           ///< of each message
  Combine combine = Combine::copy;
};
using SymmetricRule = std::function<SymmetricStep(std::int64_t step)>;

/// The schedule with the statement that all ranks do the same in each step. Where all wires cost the same,
/// one rank may then be read for all (representative.hpp).
Schedule symmetric(Schedule schedule, SymmetricRule rule);

/// The rule that the schedule states; null if it states none.
const SymmetricRule* symmetric_rule(const Schedule& schedule);

/// How many steps of the schedule send what step `s` sends, as it states; 0 if `s` repeats an earlier step,
/// which then counts it.
std::int64_t occurrences(const Schedule& schedule, std::int64_t s);

/// How many messages the step has; a multicast or a reduction counts once for each rank.
std::int64_t messages_of(const Step& step);
/// How many messages the schedule has. If it has more than `most`, any number above that.
std::int64_t messages_of(const Schedule& schedule, std::int64_t most);

}  // namespace collcast
