// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/job/player.hpp"

namespace collcast::workloads {

/// Activities of one part of the work, or one name, that a role did.
struct ActivitySummary {
  std::string role, name;
  std::int64_t count = 0;
  Seconds total;    ///< under way: while it waits for its counterparts it is not
  Seconds exposed;  ///< of the role's time, each moment of which goes to one row
};

/// Where a job's time goes, by role and name in the order of their first ends. A moment goes to the
/// computation of the first stream, if one is under way; else to what is on the others; without either to
/// "waiting for others", or for a coordinator's round; several share it. What a role exposes adds up to the
/// job's time.
std::vector<ActivitySummary> summary(const Job& job, const Played& played);

}  // namespace collcast::workloads
