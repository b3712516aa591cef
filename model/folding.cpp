// SPDX-License-Identifier: Apache-2.0
#include "model/folding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace collcast {

Folding::Folding(const Schedule& schedule, bool blocks_alike) {
  if (!blocks_alike) return;
  const auto all = repeats(schedule);
  repeats_.assign(all.begin(), all.end());
  std::erase_if(repeats_,
                [](const Repeat& r) { return r.last - r.first < 4 * r.period; });  // nothing to save
}

void Folding::Snapshot::take(Times from, Times sums_from) {
  times.clear(), sums.clear();
  for (const auto* v : from) times.insert(times.end(), v->begin(), v->end());
  for (const auto* v : sums_from) sums.insert(sums.end(), v->begin(), v->end());
}

/// Looks after 1, 2, 3, 5, 7, ... periods, so that looking costs less than reading.
std::int64_t Folding::next(std::int64_t s, Times times, Times sums, Seconds& origin) {
  while (at_ < repeats_.size() && s + 1 >= repeats_[at_].last) ++at_, watch_ = 1;
  if (at_ == repeats_.size()) return s + 1;
  const Repeat& repeat = repeats_[at_];
  const std::int64_t read = s + 1 - repeat.first, periods = read / repeat.period;
  if (read % repeat.period != 0 || periods < watch_) return s + 1;
  if (periods == watch_) return before_.take(times, sums), s + 1;
  if (periods == watch_ + 1) return between_.take(times, sums), s + 1;
  watch_ = periods + periods / 3;
  Seconds increment;
  const std::int64_t left = (repeat.last - (s + 1)) / repeat.period;
  if (left == 0 || !steady(times, increment)) return s + 1;
  const double many = static_cast<double>(left);
  const Seconds jump = many * increment;
  origin += jump;
  auto was = between_.times.begin(), counted = between_.sums.begin();
  for (auto* v : times)
    for (Seconds& t : *v)
      if (t == *was++) t -= jump;  // what stays where it is falls behind
  for (auto* v : sums)
    for (Seconds& t : *v) t += many * (t - *counted++);
  return s + 1 + left * repeat.period;
}

bool Folding::steady(Times times, Seconds& increment) const {
  constexpr double rounding = 1e-14;
  Seconds latest(-std::numeric_limits<double>::infinity()), earliest = -latest, idle = latest;
  std::size_t i = 0;
  for (const auto* v : times)
    for (const Seconds t : *v) {
      const Seconds first = before_.times[i], second = between_.times[i];
      ++i;
      if (t == second && second == first) {
        idle = std::max(idle, t);
        continue;
      }
      earliest = std::min(earliest, first);
      if (t > latest) latest = t, increment = (t - first) / 2;
    }
  if (earliest > latest) return increment = {}, true;  // nothing moves
  // What does not move lies behind all that does: nobody waits for it any more.
  if (!(increment > Seconds(0)) || idle > earliest) return false;
  const double scale = std::max(std::abs(latest.value), std::abs(earliest.value)) * rounding;
  i = 0;
  for (const auto* v : times)
    for (const Seconds t : *v) {
      const Seconds first = before_.times[i], second = between_.times[i];
      ++i;
      if (t == second && second == first) continue;
      if (!(std::abs((second - first - increment).value) <= scale &&
            std::abs((t - second - increment).value) <= scale))
        return false;
    }
  return true;
}

}  // namespace collcast
