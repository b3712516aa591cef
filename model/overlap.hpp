// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "model/units.hpp"

namespace collcast {

/// How much of a collective is hidden behind computation, as the OSU benchmarks measure it.
struct Overlap {
  double pure_s = 0;     ///< the collective alone
  double compute_s = 0;  ///< the computation alone; in the OSU benchmarks as long as the collective
  double total_s = 0;    ///< both at once
  /// 100: the collective is hidden. 0: it is exposed.
  double percent() const {
    return pure_s > 0 ? std::clamp(100 * (1 - (total_s - compute_s) / pure_s), 0.0, 100.0) : 0;
  }
};

/// The cost of handing a collective to a worker.
struct Handoff {
  Seconds start;  ///< time in which the rank hands it over and cannot compute
  Seconds all;    ///< `start`, the worker's delay to begin, and the rank's to learn that it is done
};

/// Workers play the collective, which takes them `played`, while the ranks compute for `compute`; by default
/// for as long as the collective takes alone.
inline Overlap overlap_with_workers(Seconds played, const Handoff& handoff,
                                    std::optional<Seconds> compute = {}) {
  const Seconds pure = played + handoff.all, away = compute.value_or(pure);
  return {pure.value, away.value, std::max(handoff.start + away, pure).value};
}

}  // namespace collcast
