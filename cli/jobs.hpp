// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platforms/description/description.hpp"
#include "support/json_fwd.hpp"
#include "workloads/compute/device.hpp"
#include "workloads/job/forecast.hpp"

namespace collcast::cli {

/// Whether a text names an application, or a file that describes a job.
bool is_job(const std::string& what);

/// Throws InputError unless it is one, or such a file.
void require_job(const std::string& what);

/// A file, or one of the applications, on so many ranks.
class JobSource {
 public:
  /// Throws InputError.
  JobSource(const std::string& what, const Description& platform);
  /// `ranks`: 0 where none were given.
  workloads::Job on(Rank ranks) const;

 private:
  std::string what_;
  std::optional<std::string> text_;
  workloads::Device device_;
};

/// What rows of jobs and training steps have in common; `samples` of one pass, if that is above 0.
Json run_row(Rank ranks, int ranks_per_node, const workloads::JobForecast& forecast, double samples);
/// A row of `job`.
Json job_row(const workloads::Job& job, const workloads::JobForecast& forecast, double samples,
             const Description& platform);

/// Throws InputError where the platform is too small.
void require_room(const Description& platform, Rank ranks);

}  // namespace collcast::cli
