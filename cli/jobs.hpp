// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platforms/description/description.hpp"
#include "replay/application/replay.hpp"
#include "support/json_fwd.hpp"
#include "workloads/compute/device.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/price.hpp"

namespace collcast::cli {

/// Whether a text names an application, or a file that describes a job.
bool is_job(const std::string& what);

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

/// A job's times, its collectives as single operations or message by message.
struct Timed {
  Seconds time, low, high, compute;
  std::string limited_by;
};
Timed timed(const workloads::Job& job, const workloads::Played& played, const workloads::PriceOf& price);
Timed timed(const ReplayReport& played);

/// A row of `job`.
Json job_row(Rank ranks, const Timed& timed, double samples, int ranks_per_node);

}  // namespace collcast::cli
