// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "replay/application/selection.hpp"
#include "replay/source/source.hpp"

namespace collcast {

/// Writes the source in GOAL's text (LogGOPSim, ATLAHS), in which times are ns. GOAL has no collectives: they
/// become the messages of the algorithms that `selection` picks, and the time of their reductions on
/// `fabric`. Streams are merged. Returns what is lost.
std::vector<Loss> write_goal(const Source& source, Selection& selection, const Fabric& fabric,
                             const std::string& path);

}  // namespace collcast
