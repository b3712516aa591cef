// SPDX-License-Identifier: Apache-2.0
#include "algorithms/scan/recursive-doubling.hpp"

#include "algorithms/rows.hpp"

namespace collcast {

Schedule doubling_scan(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    for (Rank r = 0; r + (std::int64_t{1} << s) < p; ++r) step.send(r, r + (1 << s), {0, 1}, Combine::reduce);
  };
  return {p, 1, log_ceil(p), rule};
}

const Algorithm scan_recursive_doubling{
    .collective = Collective::scan,
    .name = "recursive-doubling",
    .description = "in round s rank r sends rank r + 2^s the sum of the 2^s ranks up to itself",
    .formula = "ceil(lg p) (a + n b + n g)",
    .source = "Hillis & Steele, Comm. ACM 29(12), 1986",
    .schedule = [](const Call& c) { return doubling_scan(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return log_ceil(c.ranks) * (m.alpha + c.message * (m.beta + m.gamma));
        },
};

}  // namespace collcast
