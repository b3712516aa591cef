// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include "algorithms/folded.hpp"

namespace collcast {
namespace {

/// The first ranks of the groups swap all that their groups have, at distance 1, 2, 4, ... groups.
Schedule allgather_of_firsts(Groups groups) {
  auto rule = [groups](std::int64_t s, Step& step) {
    const Rank distance = 1 << s;
    for (Rank i = 0; i < groups.q; ++i) {
      const Rank from = i & ~(distance - 1), begin = groups.first(from);
      step.send(groups.first(i), groups.first(i ^ distance), {begin, groups.first(from + distance) - begin});
    }
  };
  return {groups.p, groups.p, log2_floor(groups.q), rule};
}

/// In pairs of neighbours, the second rank gives its whole message to the first before the halving, and gets
/// its block after it.
Schedule reduce_scatter(Rank p) {
  const Groups groups{p, 1 << log2_floor(p)};
  const Schedule halving = mirrored(allgather_of_firsts(groups), Combine::reduce);
  if (groups.p == groups.q) return halving;
  auto give = [groups](std::int64_t, Step& step) {
    for (Rank i = 0; i < groups.p - groups.q; ++i)
      step.send(groups.first(i) + 1, groups.first(i), {0, groups.p}, Combine::reduce);
  };
  auto take = [groups](std::int64_t, Step& step) {
    for (Rank i = 0; i < groups.p - groups.q; ++i)
      step.send(groups.first(i), groups.first(i) + 1, {groups.first(i) + 1});
  };
  return then(then(Schedule{p, p, 1, give}, halving), Schedule{p, p, 1, take});
}

/// The first pair's path: in each round it receives the larger half of what is left.
Seconds halving_time(const Call& c, const AlphaBetaGamma& m) {
  const Groups groups{c.ranks, 1 << log2_floor(c.ranks)};
  const Bytes block = c.message / c.ranks;
  Seconds sum;
  for (Rank half = groups.q / 2; half > 0; half /= 2)
    sum += m.alpha + groups.first(half) * block * (m.beta + m.gamma);
  if (groups.p > groups.q) sum += 2 * m.alpha + c.message * (m.beta + m.gamma) + block * m.beta;
  return sum;
}

}  // namespace

const Algorithm reduce_scatter_recursive_halving{
    .collective = Collective::reduce_scatter,
    .name = "recursive-halving",
    .description = "ranks swap half of what is left, at distance p/2, p/4, ..., 1",
    .formula =
        "lg p a + (p-1)/p n (b + g); unless p = q = 2^floor(lg p): (lg q + 2) a + n (b + g) + n/p b + n/p (b "
        "+ g) "
        "times the sum of i + min(i, p-q) over i = 1, 2, 4, ..., q/2",
    .source = "Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005",
    .schedule = [](const Call& c) { return reduce_scatter(c.ranks); },
    .time = halving_time,
};

}  // namespace collcast
