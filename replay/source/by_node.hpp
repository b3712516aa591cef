// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// The source with its hierarchical collectives (Activity::phases) as one collective after the other: the
/// allreduce is across nodes, the others are among a node's ranks. `node`: by rank. Null if the source has
/// none, or if nodes differ in size or hold one rank each: Horovod's are flat there, too. `source` outlives
/// the result.
std::unique_ptr<Source> by_node(const Source& source, const std::vector<int>& node);

}  // namespace collcast
