// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "model/critical_path.hpp"
#include "model/overlap.hpp"

namespace collcast {

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
