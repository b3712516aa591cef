// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/source/source.hpp"

namespace collcast {

/// The source on `ranks` ranks, each of which does what a recorded one does. Communicators make a grid of the
/// ranks. Messages go along pipelines; the outermost of the other dimensions is the data dimension, along
/// which replicas are added or removed. Collectives along the data dimension keep their message size;
/// collectives and messages within a replica stay within each replica. `source` outlives the result. Throws
/// InputError, with the reason, if ranks along the data dimension differ, if what they do depends on their
/// number, or if a role of ranks was not recorded.
std::unique_ptr<Source> scaled(const Source& source, Rank ranks);

}  // namespace collcast
