// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/rank_step.hpp"

#include <algorithm>
#include <utility>

namespace collcast::mpi {

void RankStep::take(const Step& step) {
  items_.clear();
  for (const Transfer& t : step.transfers)
    if (t.from.rank == rank_ || t.to.rank == rank_) take(t, step.pieces(t));
  for (const Multicast& m : step.multicasts) take(m);
  for (const Reduction& m : step.reductions) take(m);
  std::ranges::stable_sort(items_, {}, &Item::channel);
}

void RankStep::take(const Transfer& t, std::span<const Chunk> pieces) {
  if (t.from == t.to) return;
  const bool copy = t.from.rank == t.to.rank, send = t.from.rank == rank_;
  const auto kind = copy ? Item::Kind::copy : send ? Item::Kind::send : Item::Kind::receive;
  items_.push_back(
      {kind, t.combine, t.from.memory, t.to.memory, t.channel, send ? t.to.rank : t.from.rank, pieces});
}

void RankStep::take(const Multicast& m) {
  Item item{Item::Kind::send, Combine::copy, m.from.memory, m.memory, m.channel, 0, {&m.chunk, 1}};
  if (multicasting_ == Multicasting::at_once) {
    item.multicast = multicasts_++;
    item.group = m.to;
    if (m.from.rank == rank_) return items_.push_back(item);
  }
  m.for_each_receiver([&](Rank r) {
    if (m.from.rank == rank_) {
      item.peer = r;
      items_.push_back(item);
    } else if (r == rank_) {
      item.kind = Item::Kind::receive;
      item.peer = m.from.rank;
      items_.push_back(item);
    }
  });
}

/// Values are reduced into the receiver's own, or if it has none, into the first one.
void RankStep::take(const Reduction& m) {
  Item item{Item::Kind::send, Combine::reduce, m.memory, m.to.memory, m.channel, m.to.rank, {&m.chunk, 1}};
  bool first = true;
  for (Rank i = 0; i < m.from.count; ++i) first = first && m.from[i] != m.to.rank;
  m.for_each_sender([&](Rank r) {
    if (r == rank_) {
      items_.push_back(item);
    } else if (m.to.rank == rank_) {
      item.kind = Item::Kind::receive;
      item.combine = std::exchange(first, false) ? Combine::copy : Combine::reduce;
      item.peer = r;
      items_.push_back(item);
    }
  });
}

}  // namespace collcast::mpi
