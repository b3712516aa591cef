// SPDX-License-Identifier: Apache-2.0
#include "algorithms/reduce-scatter/ring.hpp"

namespace collcast {

Schedule ring_reduce_scatter(Rank p) {
  auto rule = [p](std::int64_t s, Step& step) {
    for (Rank r = 0; r < p; ++r) step.send(r, r + 1 < p ? r + 1 : 0, {modulo(r - s - 1, p)}, Combine::reduce);
  };
  return {p, p, p - 1, rule};
}

}  // namespace collcast
