// SPDX-License-Identifier: Apache-2.0
#include "model/folding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace collcast {
namespace {

using Entry = std::uint32_t;
constexpr double rounding = 2e-15;    // of the time to which a course is followed
constexpr std::int64_t deepest = 64;  // ways to rings that are followed
constexpr Seconds infinite(std::numeric_limits<double>::infinity());

/// Entries e, origin of e, ..., that end where they began. After k periods the one at place j is at
///   begin + k pace + swing[j + k], which is the same after each round.
struct Ring {
  Seconds pace;
  std::vector<Seconds> swing;
  Seconds least, most;  ///< of swing
  Seconds at(std::size_t place) const { return swing[place % swing.size()]; }
};

/// How an entry goes on, from `depth` periods on: as if it were at a place of the ring.
struct Course {
  std::uint32_t ring = 0;
  std::uint32_t place = 0;
  std::uint32_t depth = 0;
  Seconds begin;
};

class Courses {
 public:
  Courses(const Period& period, std::int64_t left) : period_(period), courses_(period.before.size()) {
    for (std::size_t e = 0; e < courses_.size(); ++e) {
      const Seconds t = period.after[e];
      tolerance_ = std::max(tolerance_, rounding * (t + static_cast<double>(left) * (t - period.before[e])));
    }
    std::vector<std::uint32_t> round(courses_.size());  // in which search an entry was met
    std::vector<Entry> way;
    for (Entry i = 0, now = 1; i < courses_.size(); ++i, ++now) {
      way.clear();
      Entry e = i;
      for (; round[e] == 0; e = period.origin[e]) round[e] = now, way.push_back(e);
      std::size_t open = way.size();
      if (round[e] == now) {
        open = static_cast<std::size_t>(std::ranges::find(way, e) - way.begin());
        add_ring({way.begin() + static_cast<std::ptrdiff_t>(open), way.end()});
      }
      while (open-- > 0) follow(way[open]);
    }
  }

  Seconds tolerance() const { return tolerance_; }
  const Course& of(Entry e) const { return courses_[e]; }
  const Ring& ring(const Course& c) const { return rings_[c.ring]; }
  /// After k periods, no less than its depth.
  Seconds at(Entry e, std::int64_t k) const {
    const Course& c = courses_[e];
    const Ring& r = ring(c);
    return c.begin + static_cast<double>(k) * r.pace + r.at(c.place + static_cast<std::size_t>(k));
  }
  /// The same, for any k, from entry to entry.
  Seconds stepwise(Entry e, std::int64_t k) const {
    Seconds on_top;
    for (; k > 0 && k < courses_[e].depth; --k, e = period_.origin[e]) on_top += gain(e);
    return on_top + (k == 0 ? period_.before[e] : at(e, k));
  }

  /// The least by which a is ahead of b at places that are so far apart on rings of one pace.
  Seconds least_lead(const Course& a, const Course& b) {
    const Ring &ra = ring(a), &rb = ring(b);
    const std::size_t length = ra.swing.size();
    if (length != rb.swing.size() || length == 1) return ra.least - rb.most;
    const std::size_t ahead = (a.place + length - b.place) % length;
    if (a.ring == b.ring && ahead == 0) return {};
    const auto [found, is_new] = leads_.try_emplace({a.ring, b.ring, ahead}, infinite);
    if (is_new)
      for (std::size_t j = 0; j < length; ++j)
        found->second = std::min(found->second, ra.at(j + ahead) - rb.swing[j]);
    return found->second;
  }

 private:
  Seconds gain(Entry e) const { return period_.after[e] - period_.before[period_.origin[e]]; }

  void add_ring(const std::vector<Entry>& entries) {
    const Seconds first = gain(entries.front());
    Seconds more;  // than if all gained as the first does: many like sums lose digits
    for (const Entry e : entries) more += gain(e) - first;
    Ring ring{first + more / static_cast<double>(entries.size()), {}, infinite, -infinite};
    Seconds behind;  // the pace so far less the gains
    for (std::size_t j = 0; j < entries.size(); ++j) {
      const Entry e = entries[j];
      const Seconds swing = period_.before[e] - behind;
      courses_[e] = {static_cast<std::uint32_t>(rings_.size()), static_cast<std::uint32_t>(j), 0, behind};
      ring.swing.push_back(swing);
      ring.least = std::min(ring.least, swing);
      ring.most = std::max(ring.most, swing);
      behind += ring.pace - gain(e);
    }
    if (ring.most - ring.least <= tolerance()) {  // even
      for (const Entry e : entries) courses_[e].place = 0, courses_[e].begin = period_.before[e];
      ring = {ring.pace, {Seconds()}, {}, {}};
    }
    rings_.push_back(std::move(ring));
  }

  /// An entry that is on no ring, after the one that it comes from.
  void follow(Entry e) {
    const Course& from = courses_[period_.origin[e]];
    const Ring& r = ring(from);
    const auto length = static_cast<std::uint32_t>(r.swing.size());
    Course& c = courses_[e];
    c = {from.ring, (from.place + length - 1) % length, from.depth + 1, from.begin - r.pace + gain(e)};
    const Seconds now = period_.before[e] - r.at(c.place);
    if (from.depth == 0 && std::abs((now - c.begin).value) <= tolerance().value) c.depth = 0, c.begin = now;
  }

  const Period& period_;
  Seconds tolerance_;
  std::vector<Course> courses_;
  std::vector<Ring> rings_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, Seconds> leads_;
};

/// For how many periods after the one in which it was seen a race is won as it was, of `left`.
std::int64_t holds(const Race& race, const Period& period, Courses& courses, std::int64_t left) {
  const Course &a = courses.of(race.winner), &b = courses.of(race.loser);
  const Ring &ra = courses.ring(a), &rb = courses.ring(b);
  const Seconds apart = race.margin - (period.before[race.winner] - period.before[race.loser]);
  const std::int64_t settled = std::max(a.depth, b.depth);
  for (std::int64_t k = 1; k < std::min(settled, left + 1); ++k)
    if (apart + courses.stepwise(race.winner, k) - courses.stepwise(race.loser, k) < -courses.tolerance())
      return k - 1;
  const std::int64_t first = std::max<std::int64_t>(settled, 1);
  const Seconds gains = ra.pace - rb.pace, base = apart + a.begin - b.begin;
  const auto margin = [&](Seconds lead, std::int64_t k) {
    return base + static_cast<double>(k) * gains + lead;
  };
  const auto won = [&](Seconds lead) {
    return std::min(margin(lead, first), margin(lead, left)) >= -courses.tolerance();
  };
  Seconds lead = ra.least - rb.most;
  if (won(lead)) return left;
  lead = courses.least_lead(a, b);
  if (won(lead)) return left;
  if (margin(lead, first) < -courses.tolerance()) return first - 1;
  return static_cast<std::int64_t>((base + lead + courses.tolerance()) / (Seconds() - gains));
}

}  // namespace

Onward onward(const Period& period, std::int64_t left) {
  Courses courses(period, left);
  Onward found;
  const auto entries = static_cast<Entry>(period.before.size());
  for (Entry e = 0; e < entries; ++e)
    if (courses.of(e).depth > deepest) return found;
  found.periods = left;
  for (const Race& race : period.races) {
    if (found.periods == 0) break;
    found.periods = std::min(found.periods, holds(race, period, courses, found.periods));
  }
  for (Entry e = 1; e <= period.ends; ++e) found.least = std::max(found.least, courses.stepwise(e, 1 + left));
  if (found.periods == 0) return found;
  found.after.reserve(entries);
  for (Entry e = 0; e < entries; ++e) found.after.push_back(courses.stepwise(e, 1 + found.periods));
  return found;
}

Folding::Folding(const Schedule& schedule, bool blocks_alike, std::size_t entries) {
  if (!blocks_alike) return;
  const auto all = repeats(schedule);
  repeats_.assign(all.begin(), all.end());
  std::erase_if(repeats_, [&](const Repeat& r) {
    const std::int64_t steps = r.last - r.first;
    return steps < 4 * r.period || static_cast<std::size_t>(steps * schedule.ranks) < 4 * entries;
  });
}

bool Folding::due(std::int64_t s) {
  while (at_ < repeats_.size() && s + 2 * periods() * repeats_[at_].period > repeats_[at_].last)
    ++at_, next_ = 1, looks_ = 0;
  if (at_ == repeats_.size()) return false;
  const std::int64_t read = s - repeat().first;
  if (read < 0 || read % repeat().period != 0 || read / repeat().period < next_) return false;
  next_ = 3 * (read / repeat().period);
  looks_ = std::min(looks_ + 1, 3);
  return true;
}

}  // namespace collcast
