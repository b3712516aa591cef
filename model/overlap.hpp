// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "model/critical_path.hpp"

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

/// Ranks without workers begin the collective, compute for `compute` without attending to it, and then go on.
template <AnyNetwork Network>
Overlap overlap_without_workers(const Schedule& schedule, const Layout& layout, const Network& network,
                                std::optional<Seconds> compute = {}) {
  const PathResult alone = critical_path(schedule, layout, network);
  const Seconds away = compute.value_or(alone.time);
  const PathResult both = critical_path(schedule, layout, network, away);
  // The collective may take longer than any path, if a shared port is busy that long; computation hides no
  // more of it than of the paths.
  const Seconds hidden =
      *std::ranges::max_element(alone.finish) + away - *std::ranges::max_element(both.finish);
  const Seconds total = std::max(away, away + alone.time - hidden);
  return {alone.time.value, away.value, total.value};
}

}  // namespace collcast
