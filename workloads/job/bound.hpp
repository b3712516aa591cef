// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "workloads/job/job.hpp"
#include "workloads/job/price.hpp"

namespace collcast::workloads {

/// A time that a job cannot beat, why, and what is known of the numbers that its forecast rests on.
struct JobBound {
  Seconds time = {};
  std::string cut = {};    ///< what sets the bound, in words
  bool calibrated = true;  ///< prices and computation rest on no weaker number than a calibrated one
  std::optional<bool> transferred = {};  ///< some price is outside of what was calibrated; none: not known
};
using BoundOf = std::function<JobBound(const Job&)>;

/// The longest chain of the job's activities if each collective took the time that no schedule beats, links
/// were not shared, and computation neither varied, nor slowed down, nor waited for a coordinator's rounds. A
/// coordinator fuses tensors as in `play`. The bound is never above the time of `play`.
JobBound lower_bound(const Job& job, const PriceOf& price);

/// The longest computation of a rank.
JobBound bound_of_computation(const Job& job);

}  // namespace collcast::workloads
