// SPDX-License-Identifier: Apache-2.0
#include "algorithms/folded.hpp"

namespace collcast {
namespace {

/// In step s the follower s + 1 of each group gives its message to the first rank, or takes the result.
Schedule followers(Groups groups, Block blocks, bool back) {
  auto rule = [=](std::int64_t s, Step& step) {
    for (Rank i = 0; i < groups.q; ++i) {
      if (s + 1 >= groups.size(i)) continue;
      const Rank first = groups.first(i), follower = first + 1 + static_cast<Rank>(s);
      back ? step.send(first, follower, {0, blocks})
           : step.send(follower, first, {0, blocks}, Combine::reduce);
    }
  };
  return {groups.p, blocks, groups.most_followers(), rule};
}

}  // namespace

Schedule folded(Rank p, const Schedule& inner, bool give_back) {
  const Groups groups{p, inner.ranks};
  if (p == inner.ranks) return inner;
  Schedule all = then(followers(groups, inner.blocks, false),
                      renamed(inner, p, [groups](Rank i) { return groups.first(i); }));
  return give_back ? then(std::move(all), followers(groups, inner.blocks, true)) : all;
}

Seconds folding_time(const Call& c, Rank q, const AlphaBetaGamma& m, bool give_back) {
  const Seconds in = m.alpha + c.message * (m.beta + m.gamma), out = m.alpha + c.message * m.beta;
  return Groups{c.ranks, q}.most_followers() * (give_back ? in + out : in);
}

Seconds folded_halves_time(const Call& c, const AlphaBetaGamma& m, bool give_back) {
  const int rounds = log2_floor(c.ranks);
  const double q = 1 << rounds;
  return 2 * rounds * m.alpha + (q - 1) / q * c.message * (2 * m.beta + m.gamma) +
         folding_time(c, 1 << rounds, m, give_back);
}

}  // namespace collcast
