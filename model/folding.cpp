// SPDX-License-Identifier: Apache-2.0
#include "model/folding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <tuple>

namespace collcast {
namespace {

using Entry = std::uint32_t;
constexpr double rounding = 2e-15;    // of the time to which a course is followed
constexpr std::int64_t deepest = 64;  // ways to rings that are followed
constexpr Seconds infinite(std::numeric_limits<double>::infinity());
constexpr std::uint32_t unmet = ~0U, on_the_way = unmet - 1;  // in place of a ring, before it is known

/// Entries e, origin of e, ..., that end where they began. After k periods the one at place j is at
///   begin + k pace + swing[j + k], which is the same after each round.
struct Ring {
  Seconds pace;
  Seconds least, most;        ///< of its swings
  std::size_t begin, length;  ///< of its swings, among all rings'
};

/// How an entry goes on, from `depth` periods on: as if it were at a place of the ring.
struct Course {
  std::uint32_t ring = unmet;
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
    std::vector<Entry> way;
    for (Entry i = 0; i < courses_.size(); ++i) {
      way.clear();
      Entry e = i;
      for (; courses_[e].ring == unmet; e = period_.origin[e])
        courses_[e].ring = on_the_way, way.push_back(e);
      std::size_t open = way.size();
      if (courses_[e].ring == on_the_way) {
        open = static_cast<std::size_t>(std::ranges::find(way, e) - way.begin());
        add_ring(std::span(way).subspan(open));
      }
      while (open-- > 0) follow(way[open]);
    }
  }

  std::int64_t deepest() const { return deepest_; }
  Seconds tolerance() const { return tolerance_; }
  const Course& of(Entry e) const { return courses_[e]; }
  const Ring& ring(const Course& c) const { return rings_[c.ring]; }
  /// After k periods, no less than its depth.
  Seconds at(Entry e, std::int64_t k) const {
    const Course& c = courses_[e];
    const Ring& r = ring(c);
    return c.begin + static_cast<double>(k) * r.pace + swing(r, c.place + static_cast<std::size_t>(k));
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
    const std::size_t length = ra.length;
    if (length != rb.length || length == 1) return ra.least - rb.most;
    const std::size_t ahead = (a.place + length - b.place) % length;
    if (a.ring == b.ring && ahead == 0) return {};
    const auto [found, is_new] = leads_.try_emplace({a.ring, b.ring, ahead}, infinite);
    if (is_new)
      for (std::size_t j = 0; j < length; ++j)
        found->second = std::min(found->second, swing(ra, j + ahead) - swing(rb, j));
    return found->second;
  }

 private:
  Seconds gain(Entry e) const { return period_.after[e] - period_.before[period_.origin[e]]; }
  Seconds swing(const Ring& r, std::size_t place) const {
    return r.length == 1 ? swings_[r.begin] : swings_[r.begin + place % r.length];
  }

  void add_ring(std::span<const Entry> entries) {
    const Seconds first = gain(entries.front());
    Seconds more;  // than if all gained as the first does: many like sums lose digits
    for (const Entry e : entries) more += gain(e) - first;
    const Seconds pace = first + more / static_cast<double>(entries.size());
    Ring ring{pace, infinite, -infinite, swings_.size(), entries.size()};
    Seconds behind;  // the pace so far less the gains
    for (std::size_t j = 0; j < entries.size(); ++j) {
      const Entry e = entries[j];
      const Seconds swing = period_.before[e] - behind;
      courses_[e] = {static_cast<std::uint32_t>(rings_.size()), static_cast<std::uint32_t>(j), 0, behind};
      swings_.push_back(swing);
      ring.least = std::min(ring.least, swing);
      ring.most = std::max(ring.most, swing);
      behind += pace - gain(e);
    }
    if (ring.most - ring.least > tolerance()) {
      rings_.push_back(ring);
      return;
    }
    swings_.resize(ring.begin);
    const std::uint32_t even = even_ring(pace);
    for (const Entry e : entries) courses_[e] = {even, 0, 0, period_.before[e]};
  }

  /// Rings that do not swing are one where they have one pace.
  std::uint32_t even_ring(Seconds pace) {
    if (even_ == rings_.size() || rings_[even_].begin != 0 || rings_[even_].pace != pace) {
      even_ = rings_.size();
      rings_.push_back({pace, {}, {}, 0, 1});
    }
    return static_cast<std::uint32_t>(even_);
  }

  /// An entry that is on no ring, after the one that it comes from.
  void follow(Entry e) {
    const Course& from = courses_[period_.origin[e]];
    const Ring& r = ring(from);
    const auto length = static_cast<std::uint32_t>(r.length);
    Course& c = courses_[e];
    c = {from.ring, (from.place + length - 1) % length, from.depth + 1, from.begin - r.pace + gain(e)};
    const Seconds now = period_.before[e] - swing(r, c.place);
    if (from.depth == 0 && std::abs((now - c.begin).value) <= tolerance().value) c.depth = 0, c.begin = now;
    deepest_ = std::max(deepest_, c.depth);
  }

  const Period& period_;
  Seconds tolerance_;
  std::vector<Course> courses_;
  std::uint32_t deepest_ = 0;  ///< of them
  std::vector<Ring> rings_;
  std::vector<Seconds> swings_ = {Seconds()};  ///< of all rings; first that of even ones
  std::size_t even_ = 0;                       ///< the last one of these
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
  if (courses.deepest() > deepest) return found;
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
