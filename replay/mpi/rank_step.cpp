// SPDX-License-Identifier: Apache-2.0
#include "replay/mpi/rank_step.hpp"

#include <algorithm>

#include "model/error.hpp"

namespace collcast::mpi {

void RankStep::take(const Step& step) {
  items_.clear();
  if (!step.reductions.empty()) throw InputError("MPI has no network that reduces messages on their way");
  for (const Transfer& t : step.transfers)
    if (t.from.rank == rank_ || t.to.rank == rank_) take(t, step.pieces(t));
  for (const Multicast& m : step.multicasts) take(m);
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
  for (Rank i = 0; i < m.to.count; ++i) {
    if (m.to[i] == m.from.rank) continue;
    if (m.from.rank == rank_) {
      item.peer = m.to[i];
      items_.push_back(item);
    } else if (m.to[i] == rank_) {
      item.kind = Item::Kind::receive;
      item.peer = m.from.rank;
      items_.push_back(item);
    }
  }
}

}  // namespace collcast::mpi
