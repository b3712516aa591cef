// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgather/recursive-doubling.hpp"
#include "algorithms/folded.hpp"
#include "algorithms/rows.hpp"

namespace collcast {
namespace {

/// The last ranks of the groups play a butterfly. Its block i is all blocks of group i.
struct Lasts {
  Groups groups;
  Rank last(Rank i) const { return groups.first(i + 1) - 1; }
  Chunk blocks(Rank begin, Rank count) const {
    return {groups.first(begin), groups.first(begin + count) - groups.first(begin)};
  }
  bool paired(Rank i) const { return groups.size(i) == 2; }
  /// The group whose blocks the last rank of group i has in the end.
  Rank mirror(Rank i) const { return bits_reversed(i, groups.q); }
};

/// Neighbouring groups swap halves of the message, then groups at distance 2, 4, ... swap halves of what is
/// left.
Schedule halving(Lasts lasts) {
  auto rule = [lasts](std::int64_t s, Step& step) {
    const Rank q = lasts.groups.q, distance = 1 << s, left = q >> s, half = left / 2;
    for (Rank i = 0; i < q; ++i) {
      const Rank begin = lasts.mirror(i) & ~(left - 1);
      step.send(lasts.last(i), lasts.last(i ^ distance),
                lasts.blocks(i & distance ? begin : begin + half, half), Combine::reduce);
    }
  };
  return {lasts.groups.p, lasts.groups.p, log2_floor(lasts.groups.q), rule};
}

/// The first of each pair gives its message to the second.
Schedule giving(Lasts lasts) {
  auto rule = [lasts](std::int64_t, Step& step) {
    for (Rank i = 0; lasts.paired(i); ++i)
      step.send(lasts.groups.first(i), lasts.last(i), {0, lasts.groups.p}, Combine::reduce);
  };
  return {lasts.groups.p, lasts.groups.p, 1, rule};
}

/// The first ranks of pairs, or the last ranks of groups, get their blocks from the ranks that have them.
Schedule taking(Lasts lasts, bool firsts) {
  auto rule = [=](std::int64_t, Step& step) {
    for (Rank i = 0; i < lasts.groups.q; ++i) {
      const Rank to = firsts ? lasts.groups.first(i) : lasts.last(i), from = lasts.last(lasts.mirror(i));
      if (from != to && (lasts.paired(i) || !firsts)) step.send(from, to, {to});
    }
  };
  return {lasts.groups.p, lasts.groups.p, 1, rule};
}

Schedule butterfly_reduce_scatter(Rank p) {
  const Lasts lasts{{p, 1 << log2_floor(p)}};
  if (p == 1) return idle(1, 1);
  if (power_of_two(p)) return then(halving(lasts), taking(lasts, false));
  return then(then(giving(lasts), halving(lasts)), then(taking(lasts, true), taking(lasts, false)));
}

/// The first group's path: it receives the larger half of what is left in each round, and then takes part in
/// both kinds of `taking`.
Seconds butterfly_reduce_scatter_time(const Call& c, const AlphaBetaGamma& m) {
  const Groups groups{c.ranks, 1 << log2_floor(c.ranks)};
  const Bytes block = c.message / c.ranks;
  Seconds sum;
  for (Rank half = groups.q / 2; half > 0; half /= 2)
    sum += m.alpha + groups.first(half) * block * (m.beta + m.gamma);
  const Seconds take = m.alpha + block * m.beta;
  if (groups.p > groups.q) return sum + m.alpha + c.message * (m.beta + m.gamma) + 2 * take;
  return groups.q > 2 ? sum + take : sum;
}

}  // namespace

const Algorithm reduce_scatter_butterfly{
    .collective = Collective::reduce_scatter,
    .name = "butterfly",
    .description =
        "ranks swap half of what is left, at distance 1, 2, 4, ..., p/2, then blocks that ended elsewhere",
    .formula =
        "lg p a + (p-1)/p n (b + g), and a + n/p b if p > 2; unless p = q = 2^floor(lg p): <= (lg q + 3) a + "
        "n (b + g) + 2 n/p b + n/p (b + g) times the sum of i + min(i, p-q) over i = 1, 2, 4, ..., q/2",
    .exact = false,
    .bound = [](Rank p) { return power_of_two(p) ? 1 : 1 + 1.0 / (2 + log2_floor(p)); },
    .source = "Traeff, EuroPVM/MPI 2005; Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce_scatter.c",
    .schedule = [](const Call& c) { return butterfly_reduce_scatter(c.ranks); },
    .time = butterfly_reduce_scatter_time,
};

}  // namespace collcast
