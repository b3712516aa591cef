// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platforms/description/description.hpp"
#include "workloads/compute/device.hpp"
#include "workloads/job/job.hpp"

namespace collcast::workloads {

/// Whether the text names an application, or a file that describes a job.
bool is_job(const std::string& what);

/// Throws InputError unless the text is a job.
void require_job(const std::string& what);

/// A described job, or an application, for any number of ranks.
class JobSource {
 public:
  /// Throws InputError.
  JobSource(const std::string& what, const Description& platform);
  /// The job on so many ranks; 0: none were given.
  Job on(Rank ranks) const;

 private:
  std::string what_;
  std::optional<std::string> text_;
  Device device_;
};

}  // namespace collcast::workloads
