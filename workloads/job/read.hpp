// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// A job from its JSON form (docs/jobs.md); `file` is what errors name. `ranks`, if not 0: what the dimension
/// that is left open ("*") makes of it. Throws InputError with the JSON path.
Job parse_job(const std::string& text, const std::string& file, Rank ranks = 0);

}  // namespace collcast::workloads
