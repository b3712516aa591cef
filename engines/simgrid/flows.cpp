// SPDX-License-Identifier: Apache-2.0
#include "engines/simgrid/flows.hpp"

#include <algorithm>
#include <limits>

namespace collcast {
namespace {

constexpr BytesPerSecond unlimited(std::numeric_limits<double>::infinity());
constexpr Event::Kind ends = Event::Kind::network_a;

/// Rates that differ by rounding are the same.
bool slower(BytesPerSecond a, BytesPerSecond b) {
  return a.value < b.value * (1 - 1e-9);
}

}  // namespace

Flows::Flows(const std::vector<Link>& links, bool all_to_simgrid)
    : links_(links),
      all_to_simgrid_(all_to_simgrid),
      kernel_(links),
      users_(links.size()),
      carried_(links.size()) {}

void Flows::start(Index id, std::span<const LinkId> route, Bytes bytes, SecondsPerByte per_byte) {
  if (id >= flows_.size()) flows_.resize(std::max<std::size_t>(id + 1, 2 * flows_.size()));
  Flow& flow = flows_[id];
  ++running_;
  BytesPerSecond narrowest = unlimited;
  flow.route.clear();
  for (const LinkId link : route) {
    narrowest = std::min(narrowest, links_[link].bandwidth);
    carried_[link] += bytes;
    if (bytes > Bytes(0)) flow.route.push_back(link);  // what is empty is in nobody's way
  }
  const BytesPerSecond own = per_byte > SecondsPerByte(0) ? 1.0 / per_byte : unlimited;
  flow.cap = slower(own, narrowest) ? own : unlimited;
  flow.rate = std::min(flow.cap, narrowest);
  flow.bytes = bytes;
  flow.began = now_;
  const bool lonely = flow.route.empty() || (!all_to_simgrid_ && !occupied(flow));
  for (const LinkId link : flow.route) {
    Users& users = users_[link];
    if (!lonely && users.count == 1 && flows_[users.last].alone) share(users.last);
    ++users.count;
    users.last = id;
  }
  if (lonely)
    start_alone(id);
  else
    share(id);
}

bool Flows::occupied(const Flow& flow) const {
  return std::any_of(flow.route.begin(), flow.route.end(), [this](LinkId l) { return users_[l].count > 0; });
}

void Flows::start_alone(Index id) {
  Flow& flow = flows_[id];
  flow.alone = true;
  flow.ends = now_ + flow.bytes / flow.rate;
  ends_.at(flow.ends, {ends, id});
}

/// Leaves the rest of a flow to SimGrid. One that ends at this very moment stays alone.
void Flows::share(Index id) {
  Flow& flow = flows_[id];
  if (flow.alone && flow.ends <= same_instant(now_)) return;
  const Bytes left = flow.alone ? flow.bytes - (now_ - flow.began) * flow.rate : flow.bytes;
  flow.alone = false;
  if (kernel_.running() == 0) kernel_.advance(now_);
  kernel_.start(id, flow.route, left, flow.cap);
}

void Flows::finish(Index id) {
  --running_;
  Flow& flow = flows_[id];
  flow.alone = false;
  for (const LinkId link : flow.route) --users_[link].count;
  ended_.push_back(id);
}

std::span<const Index> Flows::advance(Seconds limit) {
  ended_.clear();
  auto is_void = [this](const Timers::Entry& e) {
    const Flow& flow = flows_[e.event.index];
    return !flow.alone || flow.ends != e.time;
  };
  while (!ends_.empty() && is_void(ends_.first())) ends_.pop();
  if (!ends_.empty()) limit = std::min(limit, ends_.next());
  if (kernel_.running() > 0) {
    for (const Index id : kernel_.advance(limit)) finish(id);
    now_ = std::max(now_, kernel_.now());
  } else {
    now_ = std::max(now_, limit);
  }
  while (!ends_.empty() && ends_.next() <= same_instant(now_)) {
    const Timers::Entry entry = ends_.pop();
    if (!is_void(entry)) finish(entry.event.index);
  }
  return ended_;
}

}  // namespace collcast
