// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// How often what step `s` sends is sent as far as is said: 0 where an earlier step counts it.
std::int64_t occurrences(const Schedule& schedule, std::int64_t s);

}  // namespace collcast
