// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// The JSON form that `parse_job` reads back. Names that `after` would mistake for an earlier one's are
/// numbered. Throws InputError where the job has a coordinator, which the form lacks.
std::string job_text(const Job& job);

}  // namespace collcast::workloads
