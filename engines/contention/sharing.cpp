// SPDX-License-Identifier: Apache-2.0
#include "engines/contention/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Relative difference below which rates count as equal.
constexpr double rounding = 1e-12;
/// The same for sums of many rates.
constexpr double summed = 1e-9;
constexpr std::uint64_t of_flow = std::uint64_t{1} << 32;

bool above(double a, double b) {
  return a > b * (1 + rounding);
}

}  // namespace

Sharing::Sharing(const std::vector<Link>& links) : numbers_(links.size(), none) {
  capacities_.reserve(links.size());
  for (const Link& link : links) {
    if (!(link.bandwidth.value > 0))
      throw InputError("link " + std::to_string(capacities_.size()) + " has no bandwidth (" +
                       text::number(link.bandwidth.value) + " B/s); a message could never cross it");
    capacities_.push_back(link.bandwidth.value);
  }
}

inline LinkId Sharing::numbered(LinkId link) {
  LinkId& number = numbers_[link];
  if (number == none) {
    number = static_cast<LinkId>(links_.size());
    links_.emplace_back().capacity = capacities_[link];
    used_.push_back(link);
  }
  return number;
}

void Sharing::add(Index flow, std::span<const LinkId> route, BytesPerSecond cap) {
  if (flow >= flows_.size()) {
    const std::size_t size = std::max<std::size_t>(flow + 1, 2 * flows_.size());
    rates_.resize(size);
    flows_.resize(size);
  }
  rates_[flow] = 0;
  Flow& f = flows_[flow];
  f.cap = cap.value;
  f.held_by = none;
  for (const LinkId crossed : route) {
    const LinkId link = numbered(crossed);
    std::vector<Member>& members = links_[link].members;
    members.push_back({flow, static_cast<Index>(f.hops.size())});
    f.hops.push_back({link, static_cast<Index>(members.size() - 1)});
  }
  added_.push_back(flow);
}

void Sharing::remove(Index flow) {
  const LinkId by = flows_[flow].held_by;
  if (by < own_cap) --links_[by].held;
  for (const Hop hop : flows_[flow].hops) {
    std::vector<Member>& members = links_[hop.link].members;
    const Member last = members.back();
    members[hop.place] = last;
    flows_[last.flow].hops[last.hop].place = hop.place;
    members.pop_back();
    if (!members.empty()) changed_.push_back(hop.link);
  }
  rates_[flow] = 0;
  flows_[flow].hops.clear();
}

/// Prepares a link for this round.
void Sharing::touch(LinkId link) {
  State& l = links_[link];
  if (l.round == round_) return;
  l.round = round_;
  l.full = l.stale = false;
  l.filling = 0;
  l.queued = infinite;
  double taken = 0;
  for (const Member m : links_[link].members) taken += rates_[m.flow];
  l.left = l.capacity - taken;
}

/// Takes away the rate of a flow, so that it is filled again and its links are considered.
void Sharing::fill(Index flow) {
  Flow& f = flows_[flow];
  if (f.round == round_) return;
  for (const Hop hop : flows_[flow].hops) touch(hop.link);
  if (f.held_by < own_cap) --links_[f.held_by].held;
  f.before = rates_[flow];
  rates_[flow] = 0;
  f.held_by = none;
  f.filling = true;
  f.round = round_;
  filled_.push_back(flow);
  if (f.cap < infinite) levels_.at(f.cap, of_flow | flow);
  for (const Hop hop : flows_[flow].hops) {
    State& l = links_[hop.link];
    l.left += f.before;
    ++l.filling;
    consider(hop.link);
  }
}

/// Fixes the flow's rate, by this link or by its own cap.
void Sharing::settle(Index flow, double rate, LinkId by) {
  Flow& f = flows_[flow];
  rates_[flow] = rate;
  f.held_by = by;
  f.filling = false;
  for (const Hop hop : flows_[flow].hops) {
    State& l = links_[hop.link];
    l.left -= rate;
    if (--l.filling == 0 && (l.held > 0 || l.left < 0)) consider(hop.link);
  }
}

void Sharing::queue(LinkId link, double level) {
  State& l = links_[link];
  if (!(level < l.queued)) return;
  l.queued = level;
  levels_.at(level, link);
}

void Sharing::consider(LinkId link) {
  State& l = links_[link];
  if (l.full || l.stale) return;
  l.stale = true;
  considered_.push_back(link);
}

void Sharing::queue_considered() {
  for (const LinkId link : considered_) {
    links_[link].stale = false;
    queue(link, next_level(link));
  }
  considered_.clear();
}

/// Whether the link, as far as is known, is no longer full at the level of the flows whose rates it fixes.
bool Sharing::releases(const State& l) const {
  if (l.held == 0) return false;
  if (l.filling == 0) return l.left > rounding * l.level * l.held;
  return above(l.left, l.level * l.filling);
}

/// Whether the flows that were filled so far need more than the members that kept their rates leave.
bool Sharing::overloaded(LinkId link) const {
  const State& l = links_[link];
  return l.left < -rounding * l.capacity / static_cast<double>(l.members.size());
}

/// A lower bound of the level at which the link must be looked at again: because it releases its flows, or
/// because it is full if its other members keep their rates.
double Sharing::next_level(LinkId link) const {
  const State& l = links_[link];
  if (releases(l)) return l.level;
  if (l.filling == 0) return overloaded(link) ? 0 : infinite;
  return std::max(0.0, l.left) / l.filling;
}

/// The level at which the link is full if members with higher rates come down to it.
double Sharing::full_level(LinkId link) const {
  const State& l = links_[link];
  double level = l.filling == 0 ? 0 : std::max(0.0, l.left) / l.filling;
  while (true) {
    double left = l.left;
    Index sharing = l.filling;
    for (const Member m : links_[link].members)
      if (above(rates_[m.flow], level)) left += rates_[m.flow], ++sharing;
    const double next = std::max(0.0, left) / sharing;
    if (!(next > level)) return level;
    level = next;
  }
}

void Sharing::reach(LinkId link, double level) {
  State& l = links_[link];
  if (l.full || level != l.queued) return;  // it has another entry at a lower level
  l.queued = infinite;
  const double next = next_level(link);
  if (next > level) return queue(link, next);
  if (releases(l)) return release(link);
  if (l.filling == 0 && !overloaded(link)) return;
  const double full = full_level(link);
  if (full > level) return queue(link, full);
  if (take_back(link, full)) return consider(link);
  close(link, full);
}

/// Releases the flows whose rates the link fixed, except those that another link now fixes at the same level.
void Sharing::release(LinkId link) {
  for (const Member m : links_[link].members) {
    if (flows_[m.flow].held_by != link) continue;
    const LinkId other = full_link(m.flow);
    if (other == none) {
      fill(m.flow);
    } else {
      flows_[m.flow].held_by = other;
      --links_[link].held;
      ++links_[other].held;
    }
  }
  consider(link);
}

LinkId Sharing::full_link(Index flow) const {
  for (const Hop hop : flows_[flow].hops)
    if (links_[hop.link].round == round_ && links_[hop.link].full) return hop.link;
  return none;
}

/// Takes away the rates of members that are above this level. False if there are none.
bool Sharing::take_back(LinkId link, double level) {
  bool any = false;
  for (const Member m : links_[link].members) {
    if (!above(rates_[m.flow], level) || flows_[m.flow].round == round_) continue;
    fill(m.flow);
    any = true;
  }
  return any;
}

void Sharing::close(LinkId link, double level) {
  State& l = links_[link];
  l.full = true;
  // Up to rounding, the flows whose rates the link still fixes are at this level.
  if (l.held > 0) level = l.level;
  l.level = level;
  for (const Member m : links_[link].members)
    if (flows_[m.flow].filling) settle(m.flow, level, link), ++l.held;
}

/// Whether the link is full and no flow on it is faster.
bool Sharing::limits(LinkId link, double rate) const {
  const State& l = links_[link];
  double left = l.capacity;
  for (const Member m : l.members) {
    if (rates_[m.flow] > rate * (1 + summed)) return false;
    left -= rates_[m.flow];
  }
  return !(left > summed * l.capacity);
}

LinkId Sharing::held_by(Index flow) const {
  for (const Hop hop : flows_[flow].hops)
    if (hop.link == flows_[flow].held_by || limits(hop.link, rates_[flow])) return used_[hop.link];
  return no_link;
}

/// If a new flow is alone on its links, fixes its rate, by its narrowest link or by its own cap.
inline bool Sharing::settle_alone(Index flow) {
  Flow& f = flows_[flow];
  double rate = f.cap;
  LinkId by = own_cap;
  for (const Hop hop : f.hops) {
    const State& l = links_[hop.link];
    if (l.members.size() > 1) return false;
    if (l.capacity < rate) rate = l.capacity, by = hop.link;
  }
  if (by < own_cap) links_[by].held = 1, links_[by].level = rate;
  f.held_by = by;
  rates_[flow] = rate;
  news_.push_back(flow);
  return true;
}

std::span<const Index> Sharing::solve() {
  ++round_;
  filled_.clear();
  news_.clear();
  std::erase_if(added_, [this](Index flow) { return settle_alone(flow); });
  for (const LinkId link : changed_) touch(link);
  for (const LinkId link : changed_) consider(link);
  for (const Index flow : added_) fill(flow);
  changed_.clear();
  added_.clear();
  for (queue_considered(); !levels_.empty(); queue_considered()) {
    const double level = levels_.next();
    const std::uint64_t what = levels_.pop();
    if (what < of_flow)
      reach(static_cast<LinkId>(what), level);
    else if (const auto flow = static_cast<Index>(what); flows_[flow].filling)
      settle(flow, flows_[flow].cap, own_cap);
  }
  for (const Index flow : filled_)
    if (rates_[flow] != flows_[flow].before) news_.push_back(flow);
  return news_;
}

}  // namespace collcast
