// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// A job from its JSON form (docs/jobs.md); errors name `file`. `ranks`: the number of ranks, from which the
/// dimension "*" gets its size; 0: as the file says. Throws InputError with the JSON path.
Job parse_job(const std::string& text, const std::string& file, Rank ranks = 0);

}  // namespace collcast::workloads
