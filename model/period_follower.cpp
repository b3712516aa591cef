// SPDX-License-Identifier: Apache-2.0
#include "model/period_follower.hpp"

#include <algorithm>

namespace collcast {
namespace {

/// Moves sums `periods` periods beyond `after_one`; they grow by the same amount in each period.
void extend(std::vector<Seconds>& sums, const std::vector<Seconds>& after_one, std::int64_t periods) {
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = after_one[i] + static_cast<double>(periods) * (after_one[i] - sums[i]);
}

/// The largest of the sums, `periods` periods beyond `after_one`.
Seconds most_after(const std::vector<Seconds>& sums, const std::vector<Seconds>& after_one,
                   std::int64_t periods) {
  Seconds most;
  for (std::size_t i = 0; i < sums.size(); ++i)
    most = std::max(most, after_one[i] + static_cast<double>(periods) * (after_one[i] - sums[i]));
  return most;
}

}  // namespace

FollowPlan::FollowPlan(const Schedule& schedule, bool blocks_alike, std::size_t times) {
  if (!blocks_alike) return;
  const auto all = repeats(schedule);
  repeats_.assign(all.begin(), all.end());
  std::erase_if(repeats_, [&](const Repeat& r) {
    const std::int64_t steps = r.last - r.first;
    return steps < 4 * r.period || static_cast<std::size_t>(steps * schedule.ranks) < 4 * times;
  });
}

bool FollowPlan::due(std::int64_t s) {
  while (at_ < repeats_.size() && s + 2 * periods() * repeats_[at_].period > repeats_[at_].last)
    ++at_, next_ = 1, tries_ = 0;
  if (at_ == repeats_.size()) return false;
  const std::int64_t read = s - repeat().first;
  if (read < 0 || read % repeat().period != 0 || read / repeat().period < next_) return false;
  next_ = 3 * (read / repeat().period);
  tries_ = std::min(tries_ + 1, 3);
  return true;
}

void PeriodFollower::begin(const PathState<Seconds>& state, PathState<OriginClock::Time>& traced) {
  number_times(state, traced);
  period_.races.clear();
  period_.races.reserve(8 * state.ready.size());
  OriginClock::races = &period_.races;
}

PeriodFollower::Skipped PeriodFollower::end(PathState<Seconds>& state, PathState<OriginClock::Time>& traced,
                                            std::int64_t left) {
  OriginClock::races = nullptr;
  collect(state, traced);
  const Extrapolation next = extrapolate(period_, left);
  const std::vector<Seconds>& now = next.periods > 0 ? next.after : period_.after;
  for (std::size_t e = 1; e < slots_.size(); ++e) *slots_[e] = now[e];
  Skipped skipped{next.periods, next.least};
  skipped.least = std::max(
      {skipped.least, most_after(state.busy, traced.busy, left), most_after(state.paid, traced.paid, left)});
  extend(state.busy, traced.busy, next.periods);
  extend(state.reduced, traced.reduced, next.periods);
  extend(state.paid, traced.paid, next.periods);
  state.arrived = traced.arrived, state.unqueued |= traced.unqueued;
  return skipped;
}

/// Fills the period with the times that changed or were compared, and the times that they come from.
void PeriodFollower::collect(PathState<Seconds>& state, PathState<OriginClock::Time>& traced) {
  const auto before = state.times();
  const auto after = traced.times();
  std::size_t all = 1;
  for (const auto* times : before) all += times->size();
  entries_.assign(all, 0);
  slots_.assign(1, nullptr), slots_.reserve(all);
  period_.before.assign(1, {}), period_.before.reserve(all);
  period_.after.assign(1, {}), period_.after.reserve(all);
  period_.origin.assign(1, 0), period_.origin.reserve(all);
  const auto entry = [&](std::uint32_t time) {
    if (time == 0 || entries_[time] != 0) return entries_[time];
    entries_[time] = static_cast<std::uint32_t>(slots_.size());
    std::size_t i = 0, j = time - 1;
    for (; j >= before[i]->size(); ++i) j -= before[i]->size();
    slots_.push_back(&(*before[i])[j]);
    period_.before.push_back(*slots_.back());
    period_.after.push_back((*after[i])[j].at);
    period_.origin.push_back((*after[i])[j].origin);
    return entries_[time];
  };
  std::uint32_t time = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i == 1) period_.ends = static_cast<std::uint32_t>(slots_.size() - 1);
    for (std::size_t j = 0; j < before[i]->size(); ++j)
      if (const auto& end = (*after[i])[j]; end.origin != ++time || end.at != (*before[i])[j]) entry(time);
  }
  for (Race& r : period_.races) r.winner = entry(r.winner), r.loser = entry(r.loser);
  for (std::size_t e = 0; e < period_.origin.size(); ++e) period_.origin[e] = entry(period_.origin[e]);
}

}  // namespace collcast
