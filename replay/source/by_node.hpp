// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// The source with each hierarchical collective (Activity::phases) as its phases, one after the other: the
/// allreduce is across nodes, the others are among a node's ranks. `node`: by rank. Null if the source has no
/// such collective, or if nodes differ in size or hold one rank each, where Horovod does not go node by node
/// either. `source` outlives the result.
std::unique_ptr<Source> by_node(const Source& source, const std::vector<int>& node);

}  // namespace collcast
