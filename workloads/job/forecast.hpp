// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/job/summary.hpp"

namespace collcast::workloads {

/// What a job waits for beside its activities, or what may limit it.
struct Wait {
  std::string name;
  Seconds time;
};

/// A job as it was forecast: time = compute + exposed + bubble, and `waits`. The parts are those of a rank of
/// the role that computes longest.
struct JobForecast {
  Seconds time, low, high;
  Seconds compute;        ///< undisturbed
  Seconds exposed;        ///< what communication, and what goes with it on other streams, adds to that
  Seconds bubble;         ///< nothing is under way: for others, or for a coordinator's round
  Seconds communication;  ///< all that is under way
  Seconds hidden;         ///< of that, beneath computation
  std::string limited_by;
  std::vector<Wait> waits;
  std::vector<Span> spans;  ///< none where messages were played
  /// Where it goes: what each role exposes adds up to `time`. None where messages were played.
  std::vector<ActivitySummary> activities;
};

/// The parts of what was played, as they are.
JobForecast parts(const Played& played);
/// What takes the longest part of the time: computation, communication by what limits it, waiting, or one of
/// `others`. The one rule for jobs and steps, however they are played.
std::string limit(const JobForecast& forecast, const std::string& communication,
                  const std::vector<Wait>& others = {});

/// Plays it, also at both ends of the uncertainty.
JobForecast forecast_job(const Job& job, const PlayOf& play);

}  // namespace collcast::workloads
