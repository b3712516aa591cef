// SPDX-License-Identifier: Apache-2.0
#include "model/folding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace collcast {
namespace {

constexpr double rounding = 1e-14;
constexpr Seconds no_end(std::numeric_limits<double>::infinity());

bool same(Seconds a, Seconds b, Seconds scale) {
  return std::abs((a - b).value) <= rounding * scale.value;
}

/// Calls act(time, i) for each time and its number, until one says false.
template <class Act>
bool for_all(Folding::Times times, Act act) {
  std::size_t i = 0;
  for (auto* v : times)
    for (Seconds& t : *v)
      if (!act(t, i++)) return false;
  return true;
}

}  // namespace

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

void Folding::Snapshot::give(Times to, Times sums_to) const {
  for_all(to, [&](Seconds& t, std::size_t i) { return t = times[i], true; });
  for_all(sums_to, [&](Seconds& t, std::size_t i) { return t = sums[i], true; });
}

/// Of what moves, some evenly spread.
void Folding::Probes::choose(Times times, const Snapshot& before) {
  constexpr std::size_t most = 24;
  std::vector<std::size_t> moved;
  for_all(times, [&](Seconds t, std::size_t i) {
    if (t != before.times[i]) moved.push_back(i);
    return true;
  });
  for (std::size_t k = 0; k < std::min(most, moved.size()); ++k)
    which.push_back(moved[k * moved.size() / std::min(most, moved.size())]);
}

void Folding::Probes::look(Times times) {
  constexpr std::size_t most = 4096;  // periods; cycles of half of that are found
  if (which.empty()) return;
  if (seen.size() == most) seen.erase(seen.begin(), seen.begin() + most / 2);
  auto& now = seen.emplace_back();
  auto next = which.begin();
  std::size_t begin = 0;
  for (const auto* v : times) {
    for (; next != which.end() && *next < begin + v->size(); ++next) now.push_back((*v)[*next - begin]);
    begin += v->size();
  }
}

/// The least number of periods after which all of them grow as before; 0: none.
std::int64_t Folding::Probes::cycle() const {
  const auto grew = [&](std::size_t period, std::size_t i) { return seen[period][i] - seen[period - 1][i]; };
  const auto recurs = [&](std::size_t after) {
    for (std::size_t k = seen.size() - after; k < seen.size(); ++k)
      for (std::size_t i = 0; i < which.size(); ++i)
        if (!same(grew(k, i), grew(k - after, i), seen[k][i])) return false;
    return true;
  };
  for (std::size_t after = 1; 2 * after < seen.size(); ++after)
    if (recurs(after)) return static_cast<std::int64_t>(after);
  return 0;
}

/// Looks after a period, and then, ever more seldom, where a few times have begun to grow in cycles.
std::int64_t Folding::next(std::int64_t s, Times times, Times sums) {
  if (tentative()) {
    if (s != from_ + (skipped_ + 1) * unit_ * repeats_[at_].period) return s + 1;
    probes_.seen.clear();
    if (as_foreseen(times)) return skipped_ = 0, s + 1;
    there_.give(times, sums);
    skipped_ /= 2;
    return skip(from_, times, sums);
  }
  while (at_ < repeats_.size() && s + 1 >= repeats_[at_].last) ++at_, watch_ = unit_ = 1, probes_ = {};
  if (at_ == repeats_.size()) return s + 1;
  const Repeat& repeat = repeats_[at_];
  const std::int64_t read = s + 1 - repeat.first, periods = read / repeat.period;
  if (read <= 0 || read % repeat.period != 0) return s + 1;
  probes_.look(times);
  if (periods == watch_) {
    if (periods > 1) unit_ = probes_.cycle();
    if (unit_ != 0)
      before_.take(times, sums);
    else
      watch_ += 1 + watch_ / 8;
  }
  if (periods < watch_) return s + 1;
  if (periods == watch_ + unit_) between_.take(times, sums);
  if (periods < watch_ + 2 * unit_) return s + 1;
  if (periods > watch_ + 2 * unit_) return watch_ = periods + 1, s + 1;  // some were skipped
  watch_ = periods + 1 + periods / 8;
  const std::int64_t left = (repeat.last - (s + 1)) / (unit_ * repeat.period);
  foresee(times, sums, static_cast<double>(left));
  if (left < 3 || !steady(times)) {
    if (probes_.which.empty()) probes_.choose(times, before_);
    return s + 1;
  }
  there_.take(times, sums);
  skipped_ = left - 1, from_ = s;
  return skip(s, times, sums);
}

/// Whether each time grew by the same in both units, at one of a few paces.
bool Folding::steady(Times times) {
  constexpr std::size_t most_paces = 32;
  Seconds latest;
  for_all(times, [&](Seconds t, std::size_t i) {
    if (t != before_.times[i]) latest = std::max(latest, t);
    return true;
  });
  paces_ = {Seconds(0)};
  pace_.assign(before_.times.size(), 0);
  return for_all(times, [&](Seconds t, std::size_t i) {
    const Seconds first = before_.times[i], second = between_.times[i];
    if (t == second && second == first) return true;
    if (!same(second - first, t - second, latest)) return false;
    const Seconds pace = (t - first) / 2;
    const auto known = std::ranges::find_if(paces_, [&](Seconds p) { return same(p, pace, latest); });
    pace_[i] = static_cast<std::uint8_t>(known - paces_.begin());
    if (known == paces_.end()) paces_.push_back(pace);
    return paces_.size() <= most_paces;
  });
}

/// What a sum of them comes to is one bound. The least that a time came along in the last unit is another:
/// what did not move in either unit may be left out, as all that it could bring about is in times that moved
/// since.
void Folding::foresee(Times times, Times sums, double left) {
  for_all(sums, [&](Seconds t, std::size_t i) {
    return least_ = std::max(least_, t + left * (t - between_.sums[i])), true;
  });
  Seconds latest, least = no_end;
  const bool sound = for_all(times, [&](Seconds t, std::size_t i) {
    const Seconds first = before_.times[i], second = between_.times[i];
    latest = std::max(latest, t);
    if (t > second) least = std::min(least, t - second);
    return t > second || (t == second && second == first);
  });
  if (sound && least < no_end) least_ = std::max(least_, latest + left * least);
}

/// Past `skipped_` units, if that is worth it.
std::int64_t Folding::skip(std::int64_t s, Times times, Times sums) {
  if (skipped_ < 2) return skipped_ = 0, s + 1;
  const double many = static_cast<double>(skipped_);
  for_all(times, [&](Seconds& t, std::size_t i) {
    if (pace_[i] != 0) t += many * paces_[pace_[i]];
    return true;
  });
  for_all(sums, [&](Seconds& t, std::size_t i) { return t += many * (t - between_.sums[i]), true; });
  landed_.take(times, {});
  return s + 1 + skipped_ * unit_ * repeats_[at_].period;
}

bool Folding::as_foreseen(Times times) const {
  Seconds latest;
  for_all(times, [&](Seconds t, std::size_t i) {
    if (t != landed_.times[i]) latest = std::max(latest, t);
    return true;
  });
  return for_all(times, [&](Seconds t, std::size_t i) {
    return t == landed_.times[i] ? pace_[i] == 0 || same(paces_[pace_[i]], {}, latest)
                                 : same(t - landed_.times[i], paces_[pace_[i]], latest);
  });
}

}  // namespace collcast
