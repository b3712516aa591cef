// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/description.hpp"

namespace collcast {

/// One row of `collcast platforms`.
struct PlatformSummary {
  std::string name, description;
  std::int64_t max_ranks;
  int gpus_per_node;
  Stamp stamp;  ///< the weakest of the parameters on which predictions depend
};
PlatformSummary summary(const Description& description);
/// The summaries of all shipped platforms.
std::vector<PlatformSummary> list_platforms();

}  // namespace collcast
