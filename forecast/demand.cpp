// SPDX-License-Identifier: Apache-2.0
#include "forecast/demand.hpp"

#include <algorithm>
#include <numeric>

namespace collcast {
namespace {

std::vector<double> shares(const Call& c) {
  std::vector<double> each(static_cast<std::size_t>(c.ranks), c.message.value / c.ranks);
  if (!c.counts.empty()) std::ranges::transform(c.counts, each.begin(), [](Bytes b) { return b.value; });
  return each;
}

std::vector<Rank> everyone(Rank ranks) {
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool on_all(Rank, Rank) {
  return true;
}

/// The demand if some ranks have data for some others.
Demand pairs_of(const Call& c, const Definition& d) {
  const Block blocks = d.blocks(c.ranks);
  const double block = c.message.value * static_cast<double>(d.whole(c.ranks)) / static_cast<double>(blocks);
  const auto received = [=, &d](Rank to, const auto& visit) {
    for (const Holding& h : d.finally(to, c.ranks, blocks, c.root))
      visit(h.ranks.first, c.counts.empty() ? block * static_cast<double>(h.chunk.count)
                                            : c.counts[static_cast<std::size_t>(h.chunk.first)].value);
  };
  const auto leaving = [=](const Side& inside) {
    double sum = 0;
    for (Rank to = 0; to < c.ranks; ++to)
      if (!is_inside(inside, to))
        received(to, [&](Rank from, double bytes) { sum += is_inside(inside, from) ? bytes : 0; });
    return sum;
  };
  const auto depends = [=](Rank to, Rank from) {
    bool found = false;
    received(to, [&](Rank r, double bytes) { found = found || (r == from && bytes > 0); });
    return found;
  };
  return {{}, {}, false, leaving, depends};
}

/// The same if each rank has equally much for each other one.
Demand equal_pairs(const Call& c) {
  return {{},
          {},
          false,
          [=](const Side& inside) {
            const double in =
                static_cast<double>(std::ranges::count_if(inside, [](char i) { return i != 0; }));
            return in * (c.ranks - in) * c.message.value / c.ranks;
          },
          on_all};
}

/// The demand of sums: it is met on a cut if some rank inside contributes to what a rank outside gets.
/// `upwards`: only lower ranks contribute.
Demand one_sum(const Call& c, bool upwards) {
  return {{},
          {},
          false,
          [=](const Side& inside) {
            const auto first = std::ranges::find_if(inside, [](char i) { return i != 0; });
            const auto last = upwards ? std::find(first, inside.end(), 0) : std::ranges::find(inside, 0);
            return first == inside.end() || last == inside.end() ? 0 : c.message.value;
          },
          [=](Rank to, Rank from) { return !upwards || from < to; }};
}

}  // namespace

Side others(Side inside) {
  for (char& i : inside) i = static_cast<char>(i == 0);
  return inside;
}

Demand demand(Collective collective, const Call& c) {
  std::vector<double> own(static_cast<std::size_t>(c.ranks));
  const std::vector<Rank> root = {c.root};
  switch (plain(collective)) {
    case Collective::allgather:
      return {shares(c), everyone(c.ranks), false, {}, {}};
    case Collective::reduce_scatter:
      return {shares(c), everyone(c.ranks), true, {}, {}};
    case Collective::gather:
      return {shares(c), root, false, {}, {}};
    case Collective::scatter:
      return {shares(c), root, true, {}, {}};
    case Collective::broadcast:
    case Collective::reduce:
      own[static_cast<std::size_t>(c.root)] = c.message.value;
      return {own, everyone(c.ranks), collective == Collective::reduce, {}, {}};
    case Collective::multi_broadcast:
      for (Rank r = 0; r <= c.root; ++r) own[static_cast<std::size_t>(r)] = c.message.value / (c.root + 1);
      return {own, everyone(c.ranks), false, {}, {}};
    case Collective::scan:
    case Collective::exscan:
      return one_sum(c, true);
    case Collective::allreduce:
      return one_sum(c, false);
    case Collective::alltoall:
      return c.counts.empty() ? equal_pairs(c) : pairs_of(c, definition(collective));
    case Collective::barrier:
      return {{}, {}, false, [](const Side&) { return 0.0; }, on_all};
    default:
      return pairs_of(c, definition(collective));
  }
}

double leaving(const Demand& d, const Side& inside) {
  if (!d.spread()) return d.leaving_by_rule(inside);
  // In a reversed spread the bytes come from the ranks outside.
  const bool needed =
      std::ranges::any_of(d.sinks, [&](Rank r) { return is_inside(inside, r) == d.reversed; });
  double bytes = 0;
  for (std::size_t r = 0; needed && r < d.weights.size(); ++r)
    if ((inside[r] != 0) != d.reversed) bytes += d.weights[r];
  return bytes;
}

bool Demand::depends(Rank to, Rank from) const {
  if (spread()) {
    if (reversed) std::swap(to, from);
    return weights[static_cast<std::size_t>(from)] > 0 && std::ranges::find(sinks, to) != sinks.end();
  }
  return depends_by_rule(to, from);
}

}  // namespace collcast
