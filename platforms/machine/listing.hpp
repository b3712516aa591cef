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
  Stamp stamp;  ///< the weakest of what the predictions rest on
};
PlatformSummary summary(const Description& description);
/// Of all that are shipped.
std::vector<PlatformSummary> list_platforms();

}  // namespace collcast
