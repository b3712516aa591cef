// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/job/player.hpp"

namespace collcast::workloads {

/// A role's activities of one name, or of one part of the work.
struct ActivitySummary {
  std::string role, name;
  std::int64_t count = 0;
  Seconds total;    ///< time under way, without waiting for counterparts
  Seconds exposed;  ///< its part of the role's time
};

/// Where a job's time goes, by role and name, in the order in which they first end. Each moment goes to the
/// computation under way on the first stream, or else in equal parts to what is under way on other streams,
/// or else to "waiting for others" or for a coordinator's round. The exposed times of a role add up to the
/// job's time.
std::vector<ActivitySummary> summary(const Job& job, const Played& played);

}  // namespace collcast::workloads
