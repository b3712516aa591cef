// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// The JSON form that `parse_job` reads back. Activities of equal names get numbers if `after` refers to one
/// of them. Throws InputError if the job has a coordinator or parameter servers, for which there is no JSON
/// form.
std::string job_text(const Job& job);

}  // namespace collcast::workloads
