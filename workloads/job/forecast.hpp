// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/job/bound.hpp"
#include "workloads/job/summary.hpp"

namespace collcast::workloads {

/// Something besides its activities that a job waits for, or that may limit it.
struct Wait {
  std::string name;
  Seconds time;
};

/// The forecast of a job: time = compute + exposed + bubble + `waits`. These parts are of a rank of the role
/// that computes longest.
struct JobForecast {
  Seconds time, low, high;
  Seconds compute;        ///< computation, undisturbed
  Seconds exposed;        ///< what communication, and other work on its streams, adds to that
  Seconds bubble;         ///< time with nothing under way: waiting for others, or for a coordinator's round
  Seconds communication;  ///< time with some communication under way
  Seconds hidden;         ///< the part of that during computation
  JobBound bound;         ///< no step with this computation and these collectives is faster
  std::string limited_by;
  std::vector<Wait> waits;
  std::vector<Span> spans;  ///< empty if messages were played
  /// Where the time goes: the exposed times of each role add up to it. Empty if messages were played.
  std::vector<ActivitySummary> activities;
};

/// The parts of the time of a job that was played.
JobForecast parts(const Played& played);
/// What takes the largest part of the time: computation, `communication` (what limits it), waiting, or one of
/// `others`.
std::string limit(const JobForecast& forecast, const std::string& communication,
                  const std::vector<Wait>& others = {});

/// Plays a job, also at both ends of the uncertainty.
JobForecast forecast_job(const Job& job, const PlayOf& play, const BoundOf& bound);

}  // namespace collcast::workloads
