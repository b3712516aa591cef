// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "model/critical_path.hpp"

namespace collcast {

/// How much of a collective a computation hides, in the terms of OSU's benchmarks: the collective alone, the
/// computation (theirs takes as long), and both at once.
struct Overlap {
  double pure_s = 0, compute_s = 0, total_s = 0;
  /// 100: nothing of the collective shows. 0: all of it does.
  double percent() const {
    return pure_s > 0 ? std::clamp(100 * (1 - (total_s - compute_s) / pure_s), 0.0, 100.0) : 0;
  }
};

/// What handing a collective to a worker costs.
struct Handoff {
  Seconds start;  ///< that the rank spends on it, and cannot compute
  Seconds all;    ///< this, and until the worker has begun, and until the rank hears that it is done
};

/// Workers play the collective, in `played`, while the ranks compute (as long as it takes alone, if nothing
/// else is said).
inline Overlap overlap_with_workers(Seconds played, const Handoff& handoff,
                                    std::optional<Seconds> compute = {}) {
  const Seconds pure = played + handoff.all, away = compute.value_or(pure);
  return {pure.value, away.value, std::max(handoff.start + away, pure).value};
}

/// Ranks without workers begin a collective, compute, and then go on with it.
template <class Network>
Overlap overlap_without_workers(const Schedule& schedule, const Layout& layout, const Network& network,
                                std::optional<Seconds> compute = {}) {
  const PathResult alone = critical_path(schedule, layout, network);
  const Seconds away = compute.value_or(alone.time);
  const PathResult both = critical_path(schedule, layout, network, away);
  // Ports that ranks share may make it longer than any path: what is hidden is the same.
  const Seconds hidden =
      *std::ranges::max_element(alone.finish) + away - *std::ranges::max_element(both.finish);
  const Seconds total = std::max(away, away + alone.time - hidden);
  return {alone.time.value, away.value, total.value};
}

}  // namespace collcast
