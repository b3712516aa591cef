// SPDX-License-Identifier: Apache-2.0
#include "engines/simgrid/flows.hpp"

#include <algorithm>

namespace collcast {
namespace {

constexpr Event::Kind ends = Event::Kind::network_a;

}  // namespace

SimgridFlows::SimgridFlows(const std::vector<Link>& links, bool all_to_simgrid)
    : links_(links),
      all_to_simgrid_(all_to_simgrid),
      kernel_(simgrid_module().kernel(links)),
      users_(links.size()) {}

void SimgridFlows::start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) {
  if (id >= flows_.size()) flows_.resize(std::max<std::size_t>(id + 1, 2 * flows_.size()));
  Flow& flow = flows_[id];
  ++running_;
  flow.route.assign(route.begin(), route.end());
  flow.cap = flow.rate = cap;
  for (const LinkId link : route) flow.rate = std::min(flow.rate, links_[link].bandwidth);
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

bool SimgridFlows::occupied(const Flow& flow) const {
  return std::any_of(flow.route.begin(), flow.route.end(), [this](LinkId l) { return users_[l].count > 0; });
}

void SimgridFlows::start_alone(Index id) {
  Flow& flow = flows_[id];
  flow.alone = true;
  flow.ends = now_ + flow.bytes / flow.rate;
  ends_.at(flow.ends, {ends, id});
}

/// Hands the rest of a lone flow over to SimGrid, unless it ends at this instant.
void SimgridFlows::share(Index id) {
  Flow& flow = flows_[id];
  if (flow.alone && flow.ends <= same_instant(now_)) return;
  const Bytes left = flow.alone ? flow.bytes - (now_ - flow.began) * flow.rate : flow.bytes;
  flow.alone = false;
  if (kernel_->running() == 0) kernel_->advance(now_);
  kernel_->start(id, flow.route, left, flow.cap);
}

void SimgridFlows::finish(Index id) {
  --running_;
  Flow& flow = flows_[id];
  flow.alone = false;
  for (const LinkId link : flow.route) --users_[link].count;
  ended_.push_back(id);
}

std::span<const Index> SimgridFlows::advance(Seconds limit) {
  ended_.clear();
  auto is_void = [this](const Timers::Entry& e) {
    const Flow& flow = flows_[e.event.index];
    return !flow.alone || flow.ends != e.time;
  };
  while (!ends_.empty() && is_void(ends_.first())) ends_.pop();
  if (!ends_.empty()) limit = std::min(limit, ends_.next());
  if (kernel_->running() > 0) {
    const std::span<const Index> over = kernel_->advance(limit);
    for (const Index id : over) finish(id);
    // SimGrid's clock continues from earlier runs and differs from the limit by rounding.
    now_ = std::max(now_, over.empty() ? limit : kernel_->now());
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
