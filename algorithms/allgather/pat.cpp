// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgather/pat.hpp"

#include <algorithm>

#include "algorithms/rows.hpp"

namespace collcast {
namespace {

/// The walk of a block over the places of its tree. Place i is the rank i places after the block's owner. Its
/// parent is i without its lowest bit that is set.
struct Walk {
  std::int64_t places;
  int levels;    ///< levels that are walked one by one; every message has all blocks of its level
  Rank subtree;  ///< places in the subtree of each place that the levels reach

  explicit Walk(const Call& c) : places(c.ranks) {
    const double fit = c.buffer / (std::max(c.message, Bytes(1)) / c.ranks);
    const int depth = log_ceil(c.ranks);
    levels = 0;
    while (levels < depth && (2 << levels) <= fit) ++levels;
    subtree = 1 << (depth - levels);
  }

  std::int64_t steps() const { return levels + std::min<std::int64_t>(subtree, places) - 1; }

  /// The messages of a step: places first, first + stride, ... send to the place `distance` further on.
  struct Hop {
    std::int64_t distance, first, stride;
  };
  Hop hop(std::int64_t s) const {
    if (s < levels) {
      const std::int64_t distance = (std::int64_t{subtree} << levels) >> (s + 1);
      return {distance, 0, 2 * distance};
    }
    const std::int64_t place = s - levels + 1, distance = place & -place;
    return {distance, place - distance, subtree};
  }
};

}  // namespace

std::int64_t pat_steps(const Call& c) {
  return Walk(c).steps();
}

Schedule pat_allgather(const Call& c) {
  const Walk walk(c);
  auto rule = [walk, p = c.ranks](std::int64_t s, Step& step) {
    const auto hop = walk.hop(s);
    const Block count = (p - 1 - hop.first - hop.distance) / hop.stride + 1;
    for (Rank r = 0; r < p; ++r)
      step.send_scattered(r, modulo(r + hop.distance, p), count, Combine::copy, [&](auto add) {
        for (Block i = 0; i < count; ++i) add(Chunk{modulo(r - hop.first - i * hop.stride, p)});
      });
  };
  return {c.ranks, c.ranks, walk.steps(), rule};
}

const Algorithm allgather_pat{
    .collective = Collective::allgather,
    .name = "pat",
    .description =
        "every block goes down a binomial tree of its own, far ranks first; messages of the same step travel "
        "as one, up to a buffer",
    .buffer = true,
    .formula =
        "(l + min(2^(L-l), p) - 1) a + (p-1)/p n b with L = ceil(lg p), l = min(L, floor(lg B)); L a without "
        "limit",
    .source = "Jeaugey, arXiv 2506.20252, 2025",
    .schedule = pat_allgather,
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return static_cast<double>(pat_steps(c)) * m.alpha + (c.ranks - 1.0) / c.ranks * c.message * m.beta;
        },
};

}  // namespace collcast
