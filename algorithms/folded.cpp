// SPDX-License-Identifier: Apache-2.0
#include "algorithms/folded.hpp"

namespace collcast {
namespace {

/// The even rank of each pair gives its message to the odd one, or takes the result back.
Schedule pairs(Rank p, Block blocks, Rank left_over, bool back) {
  auto rule = [=](std::int64_t, Step& step) {
    for (Rank even = 0; even < 2 * left_over; even += 2)
      back ? step.send(even + 1, even, {0, blocks}) : step.send(even, even + 1, {0, blocks}, Combine::reduce);
  };
  return {p, blocks, 1, rule};
}

}  // namespace

Schedule folded(Rank p, const Schedule& inner) {
  const Rank left_over = p - inner.ranks;
  if (left_over == 0) return inner;
  auto name = [left_over](Rank r) { return r < left_over ? 2 * r + 1 : r + left_over; };
  return then(then(pairs(p, inner.blocks, left_over, false), renamed(inner, p, name)),
              pairs(p, inner.blocks, left_over, true));
}

Seconds folding_time(const Call& c, const AlphaBetaGamma& m) {
  return power_of_two(c.ranks) ? Seconds{} : 2 * m.alpha + c.message * (2 * m.beta + m.gamma);
}

}  // namespace collcast
