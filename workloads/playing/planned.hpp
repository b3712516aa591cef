// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/report.hpp"
#include "workloads/playing/plan.hpp"

namespace collcast::workloads {

/// The frameworks of `layouts` if the user names none: each rank holds everything, or the optimizer is
/// sharded, or parameters are sharded as well.
inline constexpr const char* layout_frameworks = "ddp,zero1,fsdp";

/// What `collcast plan` is asked. Each combination of platforms, ranks, frameworks, batches, precisions,
/// policies and values of `set`, which are lists as users write them, is a candidate; with `layouts`, so is
/// each way to divide the step among ranks, and each number of micro-batches, that the frameworks leave open.
struct PlanText : PlannedJob {
  std::vector<std::string> platforms;     ///< names or files
  std::vector<std::string> ranks;         ///< empty: as many as the trace has
  std::vector<std::string> set;           ///< parameters of each platform
  std::vector<std::string> price, power;  ///< of a platform's node: "dgx-a100=32.77"
  bool layouts = false;
  std::string most_tensor;  ///< the most ranks that share a layer in `layouts`; empty: those of a node
  std::string aim;          ///< empty: cost if all platforms have a price, else time
  std::string time, efficiency, cost, power_limit;  ///< limits: "2h"; from 0 to 1; USD; W
};

struct Planned {
  report::Report report;
  std::vector<plan::Judged> all;  ///< candidates, the best first
  plan::Limits limits;
};

/// Throws InputError for what makes no sense, or if every candidate is refused for the same reason.
Planned planned(const PlanText& asked, const PlanProgress& progress);

}  // namespace collcast::workloads
