// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "algorithms/rows.hpp"

namespace collcast {
namespace {

/// Round s: the first 2^s ranks send to the next 2^s.
Schedule doubling(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    const auto have = static_cast<Rank>(power(2, s));
    for (Rank r = 0; r < std::min(have, p - have); ++r) step.send(r, r + have, {0, 1});
  };
  return {p, 1, log_ceil(p, 2), rule};
}

}  // namespace

const Algorithm broadcast_binomial_doubling{
    .collective = Collective::broadcast,
    .name = "binomial-doubling",
    .description =
        "the ranks that have the message send it to as many next to them, until all have it: the "
        "last round goes farthest",
    .formula = "ceil(log2 p) (a + n b)",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_topo.c (bmtree); counted from the schedule",
    .schedule = [](const Call& c) { return rooted(doubling(c.ranks), c.root); },
    .time = [](const Call& c,
               const AlphaBetaGamma& m) { return log_ceil(c.ranks, 2) * (m.alpha + c.message * m.beta); },
};

}  // namespace collcast
