// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "model/fabric.hpp"
#include "model/path_reading.hpp"
#include "model/representative.hpp"

namespace collcast {

/// The critical path of a schedule, or of one rank that stands for all where all do the same.
template <AnyNetwork Network>
PathResult read_path(const Schedule& schedule, const Layout& layout, const Network& network, Seconds away,
                     Seconds limit) {
  if (has_representative(schedule, layout, network)) {
    using One = RepresentativeNetwork<Network>;
    return of_all(
        CriticalPath<One>(representative_schedule(schedule), layout, One(network), away, limit).run(),
        schedule.ranks, network.ports());
  }
  return CriticalPath<Network>(schedule, layout, network, away, limit).run();
}

/// The critical path of a schedule (CriticalPath).
template <AnyNetwork Network>
requires(!std::derived_from<Network, Fabric>) PathResult
    critical_path(const Schedule& schedule, const Layout& layout, const Network& network, Seconds away = {},
                  Seconds limit = no_limit) {
  return read_path(schedule, layout, network, away, limit);
}

extern template PathResult critical_path(const Schedule&, const Layout&, const UniformNetwork&, Seconds,
                                         Seconds);

/// On a fabric, whatever its class.
PathResult critical_path(const Schedule& schedule, const Layout& layout, const Fabric& fabric,
                         Seconds away = {}, Seconds limit = no_limit);

}  // namespace collcast
