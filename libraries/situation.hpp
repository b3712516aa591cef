// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "libraries/policy.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// The machine as a library sees it when it chooses for the first `ranks` ranks in block placement. Channels
/// and their speeds are those that the policy's release of NCCL finds (libraries/nccl/ring_search.hpp); of
/// another policy's, or where no GPU has a peer, one channel at the pace of the slowest path.
Situation situation(const Description& description, Rank ranks, const std::string& policy);

}  // namespace collcast
