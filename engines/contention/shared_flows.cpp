// SPDX-License-Identifier: Apache-2.0
#include "engines/contention/shared_flows.hpp"

#include <algorithm>
#include <limits>

namespace collcast {
namespace {

constexpr Seconds never(std::numeric_limits<double>::infinity());

}  // namespace

void SharedFlows::start(Index id, std::span<const LinkId> route, Bytes bytes, BytesPerSecond cap) {
  if (id >= flows_.size()) flows_.resize(std::max<std::size_t>(id + 1, 2 * flows_.size()));
  flows_[id] = {bytes, now_, never, {}};
  ++running_;
  sharing_.add(id, route, cap);
}

/// Computes new ends for flows whose rates have changed.
void SharedFlows::pace() {
  for (const Index id : sharing_.solve()) {
    Flow& f = flows_[id];
    f.left = std::max(Bytes(0), f.left - (now_ - f.since) * f.pace);
    f.since = now_;
    f.pace = sharing_.rate(id);
    f.ends = now_ + f.left / f.pace;
    ends_.at(f.ends.value, id);
  }
}

bool SharedFlows::is_void() const {
  return flows_[ends_.first()].ends.value != ends_.next();
}

void SharedFlows::drop_void() {
  while (!ends_.empty() && is_void()) ends_.pop();
}

/// Whether most entries are void.
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
    --running_;
    sharing_.remove(id);
    ended_.push_back(id);
  }
  return ended_;
}

}  // namespace collcast
