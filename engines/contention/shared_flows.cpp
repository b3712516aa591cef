// SPDX-License-Identifier: Apache-2.0
#include "engines/contention/shared_flows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engines/player/pool.hpp"

namespace collcast {
namespace {

constexpr Seconds never(std::numeric_limits<double>::infinity());
/// Relative difference below which rates, and times, count as equal.
constexpr double negligible = 1e-9;

}  // namespace

void SharedFlows::start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) {
  if (id >= flows_.size()) flows_.resize(std::max<std::size_t>(id + 1, 2 * flows_.size()));
  flows_[id] = {bytes, now_, never, {}};
  ++running_;
  sharing_.add(id, route, cap);
  if (!explained_) return;
  for (const LinkId link : route) cap = std::min(cap, links_[link].bandwidth);
  grown_at(losses_, id) = {cap, no_link, no_link, {}};
}

/// Counts the time that a flow has lost since its rate last changed. Links vote with the time that they cost
/// (Boyer & Moore): a vote for another link shrinks the leader's lead, and a link that turns it becomes the
/// leader; a tie, but for rounding, does not. So the link that cost more than half of the lost time wins, and
/// one number per flow is enough, however many links there are.
void SharedFlows::count_loss(Index id) {
  const Flow& f = flows_[id];
  Loss& loss = losses_[id];
  if (loss.current == no_link) return;
  const Seconds lost = (now_ - f.since) * (1 - f.pace / loss.alone);
  if (loss.current == loss.most || loss.most == no_link)
    loss.most = loss.current, loss.lead += lost;
  else if (lost > loss.lead * (1 + negligible))
    loss.most = loss.current, loss.lead = lost - loss.lead;
  else
    loss.lead = std::max(Seconds(0), loss.lead - lost);
}

/// Finds the link that slows the flow, if its rate has changed by more than rounding.
void SharedFlows::find_loss(Index id) {
  const BytesPerSecond rate = sharing_.rate(id);
  if (std::abs(rate / flows_[id].pace - 1) < negligible) return;
  Loss& loss = losses_[id];
  loss.current = rate < loss.alone * (1 - negligible) ? sharing_.held_by(id) : no_link;
}

/// Computes new ends for flows whose rates have changed.
inline void SharedFlows::pace() {
  for (const Index id : sharing_.solve()) {
    Flow& f = flows_[id];
    if (explained_) count_loss(id), find_loss(id);
    f.left = std::max(Bytes(0), f.left - (now_ - f.since) * f.pace);
    f.since = now_;
    f.pace = sharing_.rate(id);
    f.ends = now_ + f.left / f.pace;
    ends_.at(f.ends.value, id);
  }
}

inline bool SharedFlows::is_void() const {
  return flows_[ends_.first()].ends.value != ends_.next();
}

inline void SharedFlows::drop_void() {
  while (!ends_.empty() && is_void()) ends_.pop();
}

/// Drops all void entries.
void SharedFlows::compact() {
  Agenda<Index> kept;
  for (drop_void(); !ends_.empty(); drop_void()) {
    const double ends = ends_.next();
    kept.at(ends, ends_.pop());
  }
  ends_ = std::move(kept);
}

std::span<const Index> SharedFlows::advance(Seconds limit) {
  ended_.clear();
  if (sharing_.changed()) pace();
  if (ends_.size() > 4 * running_ + 1024) compact();
  drop_void();
  if (!ends_.empty()) limit = std::min(limit, Seconds(ends_.next()));
  now_ = std::max(now_, limit);
  for (; !ends_.empty() && ends_.next() <= same_instant(now_).value; drop_void()) {
    const Index id = ends_.pop();
    flows_[id].ends = never;
    if (explained_) count_loss(id);
    --running_;
    sharing_.remove(id);
    ended_.push_back(id);
  }
  return ended_;
}

}  // namespace collcast
