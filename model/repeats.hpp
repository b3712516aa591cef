// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "model/schedule.hpp"

namespace collcast {

/// Of steps first, ..., last - 1 each sends what the one `period` before it does, but for which blocks: as
/// many between the same places, in the same order.
struct Repeat {
  std::int64_t first = 0, last = 0, period = 1;
  constexpr bool operator==(const Repeat&) const = default;
};

/// A schedule that says which of its steps repeat, growing: readings that ask need not read them all. What is
/// said beyond its steps, or of less than two periods, counts for nothing.
Schedule repeating(Schedule schedule, std::vector<Repeat> repeats);

/// What it says; nothing if it does not.
std::span<const Repeat> repeats(const Schedule& schedule);

/// The first step after `s` that sends something else than the steps up to `s` did, as far as is said.
std::int64_t next_different(const Schedule& schedule, std::int64_t s);

/// What every rank sends in a step, and receives: so many messages, one round after the other, of so many
/// blocks each.
struct Even {
  std::int64_t messages = 1;
  Block blocks = 1;
  Combine combine = Combine::copy;
};
using EvenRule = std::function<Even(std::int64_t step)>;

/// A schedule that says that all ranks do alike in each of its steps: in each round every rank sends one
/// message to another one and receives one. Where all wires are alike, a reading may follow one rank for all.
Schedule even(Schedule schedule, EvenRule rule);

/// What it says; null if it does not.
const EvenRule* even(const Schedule& schedule);

/// How often what step `s` sends is sent as far as is said: 0 where an earlier step counts it.
std::int64_t occurrences(const Schedule& schedule, std::int64_t s);

}  // namespace collcast
