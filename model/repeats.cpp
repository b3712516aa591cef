// SPDX-License-Identifier: Apache-2.0
#include "model/repeats.hpp"

#include <algorithm>
#include <utility>

namespace collcast {
namespace {

/// A schedule's rule, with what the schedule states about it.
struct StatedRule {
  Schedule::Rule rule;
  std::vector<Repeat> repeats;
  SymmetricRule symmetric;
  void operator()(std::int64_t s, Step& step) const { rule(s, step); }
};

StatedRule& stated(Schedule& schedule) {
  if (!schedule.rule.target<StatedRule>()) schedule.rule = StatedRule{std::move(schedule.rule), {}, {}};
  return *schedule.rule.target<StatedRule>();
}

}  // namespace

Schedule repeating(Schedule schedule, std::vector<Repeat> repeats) {
  for (Repeat& r : repeats)
    r = {std::max<std::int64_t>(r.first, 0), std::min(r.last, schedule.steps), r.period};
  std::erase_if(repeats, [](const Repeat& r) { return r.last - r.first < 2 * r.period; });
  if (!repeats.empty()) stated(schedule).repeats = std::move(repeats);
  return schedule;
}

std::span<const Repeat> repeats(const Schedule& schedule) {
  const auto* rule = schedule.rule.target<StatedRule>();
  return rule ? std::span<const Repeat>(rule->repeats) : std::span<const Repeat>();
}

Schedule symmetric(Schedule schedule, SymmetricRule rule) {
  stated(schedule).symmetric = std::move(rule);
  return schedule;
}

const SymmetricRule* symmetric_rule(const Schedule& schedule) {
  const auto* rule = schedule.rule.target<StatedRule>();
  return rule && rule->symmetric ? &rule->symmetric : nullptr;
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

std::int64_t messages_of(const Step& step) {
  auto count = static_cast<std::int64_t>(step.transfers.size());
  for (const Multicast& m : step.multicasts) count += m.to.count;
  for (const Reduction& m : step.reductions) count += m.from.count;
  return count;
}

std::int64_t messages_of(const Schedule& schedule, std::int64_t most) {
  std::int64_t messages = 0;
  const SymmetricRule* alike = symmetric_rule(schedule);
  Step step;
  for (std::int64_t s = 0; s < schedule.steps && messages <= most; ++s) {
    if (alike) {
      messages += (*alike)(s).messages * schedule.ranks;
    } else if (const std::int64_t times = occurrences(schedule, s); times > 0) {
      step.clear();
      schedule.rule(s, step);
      messages += times * messages_of(step);
    }
  }
  return messages;
}

}  // namespace collcast
