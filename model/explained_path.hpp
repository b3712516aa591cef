// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/explanation.hpp"
#include "model/fabric.hpp"
#include "model/layout.hpp"
#include "model/path_result.hpp"

namespace collcast {

/// The critical path of a schedule, and the delays that led to the last rank's end, the last first; none if
/// there are too many messages. Two kinds of waiting are not among them: at a shared port at which messages
/// did not queue, and of channels for each other's overheads.
///
/// A log of all delays would not fit into memory. The schedule is read for its times, and what is kept from
/// step to step is noted now and then (path_legs.hpp). Then it is traced from its end: each leg is read again
/// with a log, the last leg first. A period that repeats is read once, and traced as often as it goes.
/// `leg`: after how many messages a leg ends.
PathResult explained_path(const Schedule& schedule, const Layout& layout, const Fabric& fabric,
                          std::vector<Delay>& chain, std::int64_t leg = 50'000);

}  // namespace collcast
