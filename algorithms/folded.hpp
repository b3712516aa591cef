// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "algorithms/algorithm.hpp"

namespace collcast {

/// p ranks as q groups of consecutive ranks; the first p mod q groups have one rank more.
struct Groups {
  Rank p, q;
  Rank first(Rank group) const { return group * (p / q) + std::min(group, p % q); }
  Rank size(Rank group) const { return first(group + 1) - first(group); }
  Rank most_followers() const { return (p + q - 1) / q - 1; }
};

/// `inner`, which is for q ranks, on p ranks. Each of q groups reduces its messages to its first rank, one
/// after the other; the first ranks play `inner` and, if `give_back`, send the result back to their groups.
Schedule folded(Rank ranks, const Schedule& inner, bool give_back = true);

/// The cost of folding p ranks to q: (ceil(p/q)-1) (2 a + 2 n b + n g), or (ceil(p/q)-1) (a + n b + n g)
/// without giving back.
Seconds folding_time(const Call& call, Rank q, const AlphaBetaGamma& machine, bool give_back = true);

/// Halves of what is left are exchanged and reduced until each of q = 2^floor(lg p) ranks has a share, and
/// then the same way back: 2 lg q a + (q-1)/q n (2 b + g), plus folding p ranks to q.
Seconds folded_halves_time(const Call& call, const AlphaBetaGamma& machine, bool give_back = true);

}  // namespace collcast
