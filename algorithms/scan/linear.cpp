// SPDX-License-Identifier: Apache-2.0
#include "algorithms/scan/linear.hpp"

#include "algorithms/rows.hpp"

namespace collcast {

Schedule linear_scan(Rank p) {
  auto rule = [](std::int64_t s, Step& step) {
    const auto r = static_cast<Rank>(s);
    step.send(r, r + 1, {0, 1}, Combine::reduce);
  };
  return {p, 1, p - 1, rule};
}

const Algorithm scan_linear{
    .collective = Collective::scan,
    .name = "linear",
    .description = "every rank adds its message to what the rank before it sends, and passes it on",
    .formula = "(p-1) (a + n b + n g)",
    .source =
        "Sanders & Traff, Parallel prefix algorithms for message-passing parallel computers, EuroPVM/MPI "
        "2006",
    .schedule = [](const Call& c) { return linear_scan(c.ranks); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return (c.ranks - 1.0) * (m.alpha + c.message * (m.beta + m.gamma));
        },
};

}  // namespace collcast
