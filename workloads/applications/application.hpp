// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/compute/device.hpp"
#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// A row of what `collcast job` lists.
struct ApplicationName {
  std::string_view name, description;
  std::string_view settings;  ///< with their defaults
  std::string_view source;
};
const std::vector<ApplicationName>& application_names();

/// Whether `text` names an application, with or without settings behind a colon.
bool is_application(const std::string& text);

/// The job of an application, "p3dfft:n=1024,mode=offload", on so many ranks with this device each. Throws
/// InputError.
Job application_job(const std::string& text, Rank ranks, const Device& device);

}  // namespace collcast::workloads
