// SPDX-License-Identifier: Apache-2.0
#include "replay/application/parts.hpp"

#include <algorithm>

namespace collcast {

void Parts::communicates(collcast::Rank rank, Seconds begin, Seconds end) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  for (Moments* m : {&r.communication, &r.either, &r.all}) m->add(begin, end);
}

void Parts::done(const Interval& i) {
  Rank& r = ranks_[static_cast<std::size_t>(i.rank)];
  if (i.kind == Op::Kind::compute)
    for (Moments* m : {&r.compute, &r.either, &r.all}) m->add(i.begin, i.end);
  if (i.kind != Op::Kind::start) return;
  const auto* operation = application_.operations().operation(i.tag);
  if (!operation || operation->lasting < Seconds()) return;
  if (operation->own)
    r.all.add(i.begin, i.end);
  else
    communicates(i.rank, i.met >= Seconds() ? i.met : std::max(i.begin, i.end - operation->lasting), i.end);
}

void Parts::delivered(const Delivery& d) {
  Seconds begin = d.posted;
  if (fabric_.protocol().hold != MessageProtocol::Hold::delivery) {
    const Wire wire = fabric_.wire(d.from, d.to, d.bytes);
    begin -= wire.eager ? wire.overhead : wire.overhead + wire.handshake;
  }
  begin = std::max(Seconds(), begin);
  communicates(d.to.rank, begin, d.done);
  if (d.from.rank != d.to.rank) communicates(d.from.rank, begin, d.arrived);
}

std::vector<Parts::OfRank> Parts::of_ranks(Seconds time) const {
  std::vector<OfRank> all;
  for (const Rank& r : ranks_) {
    const Seconds compute = r.compute.sum(), communication = r.communication.sum();
    all.push_back({compute, communication, std::max(Seconds(), compute + communication - r.either.sum()),
                   std::max(Seconds(), time - r.all.sum())});
  }
  return all;
}

}  // namespace collcast
