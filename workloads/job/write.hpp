// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// The JSON form that `parse_job` reads back. Equal names get numbers where `after` refers to one of them.
/// Throws InputError if the job has a coordinator or parameter servers, which the form cannot say.
std::string job_text(const Job& job);

}  // namespace collcast::workloads
