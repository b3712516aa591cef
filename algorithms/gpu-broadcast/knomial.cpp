// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>

#include "algorithms/broadcast/knomial.hpp"
#include "model/repeats.hpp"
#include "model/staging.hpp"

namespace collcast {
namespace {

/// From rank 0, one chunk after another: in each round every rank that has the chunk sends it to k - 1 others
/// at once.
Schedule knomial_rounds(Rank p, int k, Block chunks) {
  k = std::min(k, std::max(p, 2));
  const int rounds = log_ceil(p, k);
  auto rule = [=](std::int64_t s, Step& step) {
    const std::int64_t distance = power(k, rounds - 1 - s % rounds);
    for (std::int64_t child = distance; child < k * distance; child += distance)
      for (std::int64_t r = 0; r + child < p; r += k * distance)
        step.send(static_cast<Rank>(r), static_cast<Rank>(r + child), {s / rounds});
  };
  return repeating({p, chunks, chunks * rounds, rule}, {{0, chunks * rounds, std::max(rounds, 1)}});
}

}  // namespace

const Algorithm broadcast_knomial_direct{
    .collective = Collective::broadcast,
    .name = "knomial-direct",
    .description =
        "in each round every rank that has the message sends it to k - 1 more at once, from device to device",
    .radix = true,
    .formula = "d (a + n b), d = (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p)",
    .source = "Chu et al., ICPP 2017",
    .schedule = [](const Call& c) { return rooted(knomial_rounds(c.ranks, c.radix, 1), c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return knomial_depth(c.ranks, c.radix) * (m.alpha + c.message * m.beta);
        },
};

const Algorithm broadcast_knomial_staging{
    .collective = Collective::broadcast,
    .name = "knomial-staging",
    .description =
        "copied to host memory, the message goes down the k-nomial tree from host to host; each rank copies "
        "it to its device",
    .radix = true,
    .formula = "d (a + n b) and the copies, d = (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p)",
    .source = "Chu et al., ICPP 2017",
    .schedule =
        [](const Call& c) {
          return staged(broadcast_knomial_direct.schedule(c), definition(Collective::broadcast), c.root,
                        Memory::host);
        },
    .time = [](const Call& c, const AlphaBetaGamma& m) { return broadcast_knomial_direct.time(c, m); },
};

const Algorithm broadcast_knomial_pipeline{
    .collective = Collective::broadcast,
    .name = "knomial-pipeline",
    .description = "K chunks go down the k-nomial tree one after the other, from device to device",
    .radix = true,
    .segmented = true,
    .formula = "K d (a + n/K b), d = (k-1)(L-1) + floor((p-1)/k^(L-1)), L = ceil(log_k p)",
    .source = "Chu et al., ICPP 2017",
    .schedule = [](const Call& c) { return rooted(knomial_rounds(c.ranks, c.radix, c.segments), c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const auto chunks = static_cast<double>(c.segments);
          return chunks * knomial_depth(c.ranks, c.radix) * (m.alpha + c.message / chunks * m.beta);
        },
};

}  // namespace collcast
