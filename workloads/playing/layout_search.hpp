// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/playing/planned.hpp"

namespace collcast::workloads {

/// The fastest layouts of each combination of the other choices, all frameworks together; on equally many
/// ranks these are the cheapest, too. A note tells how many were left out.
std::vector<PlannedCase> with_layouts(const std::vector<PlannedCase>& cases, const PlanText& options,
                                      const std::vector<PlannedPlatform>& platforms,
                                      const PlanProgress& progress, std::vector<std::string>& notes);

}  // namespace collcast::workloads
