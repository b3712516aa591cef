// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "algorithms/policies/policy.hpp"
#include "platforms/description.hpp"

namespace collcast {

/// The machine as a library sees it when it chooses for the first `ranks` ranks in block placement. Channels
/// and their speeds are those that the policy's release of NCCL finds (platforms/ring_search.hpp); of another
/// policy's, or where no GPU has a peer, one channel at the pace of the slowest path.
Situation situation(const Description& description, Rank ranks, const std::string& policy);

}  // namespace collcast
