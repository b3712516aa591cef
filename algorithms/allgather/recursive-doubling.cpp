// SPDX-License-Identifier: Apache-2.0
#include "algorithms/allgather/recursive-doubling.hpp"

namespace collcast {

Schedule recursive_doubling_allgather(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    const Rank distance = 1 << s;
    for (Rank r = 0; r < p; ++r) step.send(r, r ^ distance, {r & ~(distance - 1), distance});
  };
  return {p, p, log2_floor(p), rule};
}

}  // namespace collcast
