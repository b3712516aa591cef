// SPDX-License-Identifier: Apache-2.0
#include "model/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <tuple>

namespace collcast {
namespace {

using Entry = std::uint32_t;
constexpr double rounding = 2e-15;    // relative: of the latest extrapolated time
constexpr std::int64_t deepest = 64;  // an entry that is further from its cycle ends the extrapolation
constexpr Seconds infinite(std::numeric_limits<double>::infinity());
constexpr std::uint32_t unvisited = ~0U, on_the_path = unvisited - 1;  // in place of a cycle not yet known

/// Entries e, origin of e, origin of that, ..., back to e. After k periods the entry at place j has the time
///   begin + k mean + swing[(j + k) mod length],
/// where `mean` is the cycle mean: the gain per period, averaged over the cycle.
struct Cycle {
  Seconds mean;
  Seconds least, most;        ///< of its swings
  std::size_t begin, length;  ///< of its swings in the list of all cycles' swings
};

/// How the time of an entry goes on. From `depth` periods on it has the formula of a place of a cycle
/// (Cycle), with a `begin` of its own.
struct Trajectory {
  std::uint32_t cycle = unvisited;
  std::uint32_t place = 0;
  std::uint32_t depth = 0;
  Seconds begin;
};

/// The cycles of a period, and every entry's trajectory.
class Trajectories {
 public:
  Trajectories(const Period& period, std::int64_t left)
      : period_(period), trajectories_(period.before.size()) {
    for (std::size_t e = 0; e < trajectories_.size(); ++e) {
      const Seconds t = period.after[e];
      tolerance_ = std::max(tolerance_, rounding * (t + static_cast<double>(left) * (t - period.before[e])));
    }
    std::vector<Entry> path;
    for (Entry i = 0; i < trajectories_.size(); ++i) {
      path.clear();
      Entry e = i;
      for (; trajectories_[e].cycle == unvisited; e = period_.origin[e])
        trajectories_[e].cycle = on_the_path, path.push_back(e);
      std::size_t open = path.size();
      if (trajectories_[e].cycle == on_the_path) {
        open = static_cast<std::size_t>(std::ranges::find(path, e) - path.begin());
        add_cycle(std::span(path).subspan(open));
      }
      while (open-- > 0) follow(path[open]);
    }
  }

  std::int64_t deepest() const { return deepest_; }
  Seconds tolerance() const { return tolerance_; }
  const Trajectory& of(Entry e) const { return trajectories_[e]; }
  const Cycle& cycle(const Trajectory& c) const { return cycles_[c.cycle]; }
  /// The time of an entry after k periods; k is at least its depth.
  Seconds at(Entry e, std::int64_t k) const {
    const Trajectory& c = trajectories_[e];
    const Cycle& r = cycle(c);
    return c.begin + static_cast<double>(k) * r.mean + swing(r, c.place + static_cast<std::size_t>(k));
  }
  /// The same for any k: steps from origin to origin until a cycle is reached.
  Seconds stepwise(Entry e, std::int64_t k) const {
    Seconds on_top;
    for (; k > 0 && k < trajectories_[e].depth; --k, e = period_.origin[e]) on_top += gain(e);
    return on_top + (k == 0 ? period_.before[e] : at(e, k));
  }

  /// The least by which the swings of a exceed those of b in any period; exact for cycles of one length.
  Seconds least_lead(const Trajectory& a, const Trajectory& b) {
    const Cycle &ra = cycle(a), &rb = cycle(b);
    const std::size_t length = ra.length;
    if (length != rb.length || length == 1) return ra.least - rb.most;
    const std::size_t ahead = (a.place + length - b.place) % length;
    if (a.cycle == b.cycle && ahead == 0) return {};
    const auto [found, is_new] = leads_.try_emplace({a.cycle, b.cycle, ahead}, infinite);
    if (is_new)
      for (std::size_t j = 0; j < length; ++j)
        found->second = std::min(found->second, swing(ra, j + ahead) - swing(rb, j));
    return found->second;
  }

 private:
  Seconds gain(Entry e) const { return period_.after[e] - period_.before[period_.origin[e]]; }
  Seconds swing(const Cycle& r, std::size_t place) const {
    return r.length == 1 ? swings_[r.begin] : swings_[r.begin + place % r.length];
  }

  void add_cycle(std::span<const Entry> entries) {
    const Seconds first = gain(entries.front());
    Seconds more;  // the sum of gains less the first one: 0, without rounding, if all gains are equal
    for (const Entry e : entries) more += gain(e) - first;
    const Seconds mean = first + more / static_cast<double>(entries.size());
    Cycle cycle{mean, infinite, -infinite, swings_.size(), entries.size()};
    Seconds behind;  // the mean so far less the gains
    for (std::size_t j = 0; j < entries.size(); ++j) {
      const Entry e = entries[j];
      const Seconds swing = period_.before[e] - behind;
      trajectories_[e] = {static_cast<std::uint32_t>(cycles_.size()), static_cast<std::uint32_t>(j), 0,
                          behind};
      swings_.push_back(swing);
      cycle.least = std::min(cycle.least, swing);
      cycle.most = std::max(cycle.most, swing);
      behind += mean - gain(e);
    }
    if (cycle.most - cycle.least > tolerance()) {
      cycles_.push_back(cycle);
      return;
    }
    swings_.resize(cycle.begin);
    const std::uint32_t flat = flat_cycle(mean);
    for (const Entry e : entries) trajectories_[e] = {flat, 0, 0, period_.before[e]};
  }

  /// The cycle without swings that has this mean; the last one is used again if it has.
  std::uint32_t flat_cycle(Seconds mean) {
    if (flat_ == cycles_.size() || cycles_[flat_].begin != 0 || cycles_[flat_].mean != mean) {
      flat_ = cycles_.size();
      cycles_.push_back({mean, {}, {}, 0, 1});
    }
    return static_cast<std::uint32_t>(flat_);
  }

  /// Sets the trajectory of an entry that is on no cycle, from that of its origin.
  void follow(Entry e) {
    const Trajectory& from = trajectories_[period_.origin[e]];
    const Cycle& r = cycle(from);
    const auto length = static_cast<std::uint32_t>(r.length);
    Trajectory& c = trajectories_[e];
    c = {from.cycle, (from.place + length - 1) % length, from.depth + 1, from.begin - r.mean + gain(e)};
    const Seconds now = period_.before[e] - swing(r, c.place);
    if (from.depth == 0 && std::abs((now - c.begin).value) <= tolerance().value) c.depth = 0, c.begin = now;
    deepest_ = std::max(deepest_, c.depth);
  }

  const Period& period_;
  Seconds tolerance_;
  std::vector<Trajectory> trajectories_;
  std::uint32_t deepest_ = 0;  ///< the largest depth
  std::vector<Cycle> cycles_;
  std::vector<Seconds> swings_ = {Seconds()};  ///< of all cycles; the first is that of cycles without swings
  std::size_t flat_ = 0;                       ///< index of the last cycle without swings
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, Seconds> leads_;
};

/// For how many of the `left` periods after the observed one a race has the same winner.
std::int64_t holds(const Race& race, const Period& period, Trajectories& trajectories, std::int64_t left) {
  const Trajectory &a = trajectories.of(race.winner), &b = trajectories.of(race.loser);
  const Cycle &ra = trajectories.cycle(a), &rb = trajectories.cycle(b);
  const Seconds apart = race.margin - (period.before[race.winner] - period.before[race.loser]);
  const std::int64_t settled = std::max(a.depth, b.depth);
  for (std::int64_t k = 1; k < std::min(settled, left + 1); ++k)
    if (apart + trajectories.stepwise(race.winner, k) - trajectories.stepwise(race.loser, k) <
        -trajectories.tolerance())
      return k - 1;
  const std::int64_t first = std::max<std::int64_t>(settled, 1);
  const Seconds gains = ra.mean - rb.mean, base = apart + a.begin - b.begin;
  const auto margin = [&](Seconds lead, std::int64_t k) {
    return base + static_cast<double>(k) * gains + lead;
  };
  const auto won = [&](Seconds lead) {
    return std::min(margin(lead, first), margin(lead, left)) >= -trajectories.tolerance();
  };
  Seconds lead = ra.least - rb.most;
  if (won(lead)) return left;
  lead = trajectories.least_lead(a, b);
  if (won(lead)) return left;
  if (margin(lead, first) < -trajectories.tolerance()) return first - 1;
  return static_cast<std::int64_t>((base + lead + trajectories.tolerance()) / (Seconds() - gains));
}

}  // namespace

Extrapolation extrapolate(const Period& period, std::int64_t left) {
  Trajectories trajectories(period, left);
  Extrapolation found;
  const auto entries = static_cast<Entry>(period.before.size());
  if (trajectories.deepest() > deepest) return found;
  found.periods = left;
  for (const Race& race : period.races) {
    if (found.periods == 0) break;
    found.periods = std::min(found.periods, holds(race, period, trajectories, found.periods));
  }
  for (Entry e = 1; e <= period.ends; ++e)
    found.least = std::max(found.least, trajectories.stepwise(e, 1 + left));
  if (found.periods == 0) return found;
  found.after.reserve(entries);
  for (Entry e = 0; e < entries; ++e) found.after.push_back(trajectories.stepwise(e, 1 + found.periods));
  return found;
}

}  // namespace collcast
