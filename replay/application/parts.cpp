// SPDX-License-Identifier: Apache-2.0
#include "replay/application/parts.hpp"

#include <algorithm>

namespace collcast {
namespace {

/// Spans further back than this are taken to overlap no new one.
constexpr std::size_t kept_spans = 256;

}  // namespace

/// Intervals come about in the order of their ends: those that a new one touches are at the back.
void Moments::add(Seconds begin, Seconds end) {
  if (!(end > begin)) return;
  auto last = spans_.end();
  while (last != spans_.begin() && last[-1].begin > end) --last;
  auto first = last;
  for (; first != spans_.begin() && first[-1].end >= begin; --first) {
    begin = std::min(begin, first[-1].begin), end = std::max(end, first[-1].end);
    sum_ -= first[-1].end - first[-1].begin;
  }
  sum_ += end - begin;
  spans_.insert(spans_.erase(first, last), {begin, end});
  if (spans_.size() > kept_spans) spans_.erase(spans_.begin(), spans_.begin() + kept_spans / 2);
}

void Parts::communicates(collcast::Rank rank, Seconds begin, Seconds end) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  for (Moments* m : {&r.communication, &r.either, &r.all}) m->add(begin, end);
}

void Parts::done(const Interval& i) {
  Rank& r = ranks_[static_cast<std::size_t>(i.rank)];
  if (i.kind == Op::Kind::compute)
    for (Moments* m : {&r.compute, &r.either, &r.all}) m->add(i.begin, i.end);
  if (i.kind != Op::Kind::start || application_.lasting(i.tag) < Seconds()) return;
  if (application_.is_own(i.tag)) return r.all.add(i.begin, i.end);
  communicates(i.rank, std::max(i.begin, i.end - application_.lasting(i.tag)), i.end);
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
