// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exscan/shifted.hpp"

namespace collcast {

Schedule shifted(Rank p, const Schedule& scan) {
  if (p == 1) return idle(1, 1);
  auto rule = [p](std::int64_t, Step& step) {
    for (Rank r = 0; r + 1 < p; ++r) step.send(r, r + 1, {0, 1});
  };
  return then({p, 1, 1, rule}, on({1, p - 1}, scan, p, 0, 1));
}

}  // namespace collcast
