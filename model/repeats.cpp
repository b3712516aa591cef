// SPDX-License-Identifier: Apache-2.0
#include "model/repeats.hpp"

#include <algorithm>
#include <utility>

namespace collcast {
namespace {

struct RepeatingRule {
  Schedule::Rule rule;
  std::vector<Repeat> repeats;
  void operator()(std::int64_t s, Step& step) const { rule(s, step); }
};

}  // namespace

Schedule repeating(Schedule schedule, std::vector<Repeat> repeats) {
  for (Repeat& r : repeats)
    r = {std::max<std::int64_t>(r.first, 0), std::min(r.last, schedule.steps), r.period};
  std::erase_if(repeats, [](const Repeat& r) { return r.last - r.first < 2 * r.period; });
  if (!repeats.empty()) schedule.rule = RepeatingRule{std::move(schedule.rule), std::move(repeats)};
  return schedule;
}

std::span<const Repeat> repeats(const Schedule& schedule) {
  const auto* rule = schedule.rule.target<RepeatingRule>();
  return rule ? std::span<const Repeat>(rule->repeats) : std::span<const Repeat>();
}

std::int64_t next_different(const Schedule& schedule, std::int64_t s) {
  for (const Repeat& r : repeats(schedule))
    if (s + 1 >= r.first + r.period && s + 1 < r.last) return r.last;
  return s + 1;
}

std::int64_t occurrences(const Schedule& schedule, std::int64_t s) {
  for (const Repeat& r : repeats(schedule))
    if (s >= r.first && s < r.last) return s < r.first + r.period ? (r.last - 1 - s) / r.period + 1 : 0;
  return 1;
}

}  // namespace collcast
