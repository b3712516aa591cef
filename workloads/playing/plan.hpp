// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "forecast/plan.hpp"
#include "workloads/playing/training_text.hpp"

namespace collcast::workloads {

/// The job that a machine is chosen for, as users describe it: a model to train, a recorded run (`trace`), or
/// an application or a job's file (`job`).
struct PlannedJob : TrainingText {
  std::string samples;  ///< samples that the model trains on in all
  std::string trace, job;
  std::string runs = "1";  ///< how often the trace or the job runs
};

/// A platform to choose from, and what the user called it.
struct PlannedPlatform {
  std::string name;
  Description platform;
};

/// The parameters of a platform with its price and power, which a plan can take into account.
inline constexpr const char *price_key = "node.price_per_hour_USD", *power_key = "node.power_W";

/// Told how many of all forecasts have been made.
using PlanProgress = std::function<void(const std::string& what, std::int64_t finished, std::int64_t all)>;

/// A job, the index of a platform, and a number of ranks; for a training job also the layout.
struct PlannedCase {
  PlannedJob job;
  std::size_t platform = 0;
  Rank ranks = 1;
  std::string layout = {};   ///< "dp=8 tp=4 pp=2"; empty: as the framework says
  bool fits = true;          ///< the layout fits into memory
  double least_time = 0;     ///< [s] lower bound of the whole job's time with this layout
  std::string refused = {};  ///< why there is no forecast
};

/// Forecasts the whole job in each case, and adds notes to `notes`. `candidates`, `times` and `savings` use a
/// process for each processor; for a trace, a single process.
std::vector<plan::Candidate> candidates(const std::vector<PlannedCase>& cases,
                                        const std::vector<PlannedPlatform>& platforms,
                                        const PlanProgress& progress, std::vector<std::string>& notes);

/// The time of the whole training job in each case, without intervals; HUGE_VAL if there is no forecast.
std::vector<double> times(const std::vector<PlannedCase>& cases,
                          const std::vector<PlannedPlatform>& platforms, const PlanProgress& progress);

/// The share of the time that the job saves if one parameter of the platform improves by a tenth.
struct Saving {
  std::string parameter;
  double share = 0;
};
/// The savings, the largest first, without parameters that save next to nothing.
std::vector<Saving> savings(const PlannedJob& job, const Description& platform, Rank ranks,
                            const PlanProgress& progress);

}  // namespace collcast::workloads
